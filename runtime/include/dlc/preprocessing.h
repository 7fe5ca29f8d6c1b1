/*===-- dlc/preprocessing.h - what was done to the data of a training ------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * dlc train writes what it did to values before the model had them to preprocessing.json beside the weights: means and
 * deviations, the columns of tables, the words of classes. These functions do the same to a program's own rows, with the same
 * bits as dlc predict.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_PREPROCESSING_H
#define DLC_PREPROCESSING_H

#include "dlc/data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dlc_preprocessing dlc_preprocessing;
/* Reads such a file. Errors: DLC_IO_ERROR; DLC_BAD_FILE for one that is damaged; DLC_OUT_OF_MEMORY. */
dlc_status dlc_preprocessing_read(const char *path, dlc_preprocessing **out, char *error, size_t error_bytes);
/* The inputs and targets that the file says something of, in its order: how many there are, and their names,
 * NULL beyond the last. */
int32_t dlc_preprocessing_input_count(const dlc_preprocessing *preprocessing);
const char *dlc_preprocessing_input(const dlc_preprocessing *preprocessing, int32_t index);
/* 1 for a target, which predictions do not need; else 0. */
int32_t dlc_preprocessing_is_target(const dlc_preprocessing *preprocessing, const char *input);
/* How many means an input has: one for each column of rows of numbers, or for each channel of images, or 1. 0: its values
 * stayed as they were. */
int64_t dlc_preprocessing_means(const dlc_preprocessing *preprocessing, const char *input);
/* One of its means and the deviation that goes with it, either of which may be NULL. DLC_NOT_FOUND beyond the
 * last. */
dlc_status dlc_preprocessing_mean(const dlc_preprocessing *preprocessing, const char *input, int64_t index,
                                  double *mean, double *deviation);
/* Changes `rows` rows of `row_values` numbers each, in place: (number - mean) / deviation. An input without means stays as it is.
 * DLC_INVALID_ARGUMENT where the numbers of a row are not a multiple of the means. */
dlc_status dlc_preprocessing_apply(const dlc_preprocessing *preprocessing, const char *input, int64_t rows,
                                   int64_t row_values, float *values, char *error, size_t error_bytes);
/* The columns of the table that an input or a target was made of, in their order: how many there are, 0 where it was of no
 * table, and their names, NULL beyond the last. */
int32_t dlc_preprocessing_column_count(const dlc_preprocessing *preprocessing, const char *input);
const char *dlc_preprocessing_column(const dlc_preprocessing *preprocessing, const char *input, int32_t index);
/* All of it for an input of numbers: its columns of a table, wherever they stand and whatever stands beside them, as an array
 * [rows][columns] of DLC_F32, changed as those of the training. DLC_NOT_FOUND names a column that the table has not;
 * DLC_INVALID_ARGUMENT where the input was of no table; and what dlc_table_numbers says. */
dlc_status dlc_preprocessing_table(const dlc_preprocessing *preprocessing, const char *input, const dlc_table *table,
                                   dlc_array *out, char *error, size_t error_bytes);
/* The words of the classes, in the order of their numbers; NULL where there are none. They go with the preprocessing. */
const dlc_classes *dlc_preprocessing_classes(const dlc_preprocessing *preprocessing);
/* The loss that was trained with, as --loss names it, where it is one of classes or of yes and no: what a
 * prediction decides follows from it. NULL with other losses. */
const char *dlc_preprocessing_loss(const dlc_preprocessing *preprocessing);
void dlc_preprocessing_free(dlc_preprocessing *preprocessing);

#ifdef __cplusplus
}
#endif
#endif
