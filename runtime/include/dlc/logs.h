/*===-- dlc/logs.h - metrics in files -------------------------------------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a training program writes down while it trains: tables as CSV, and curves, histograms and pictures for
 * TensorBoard. Each row is in the file when the call returns, so a program that is killed loses nothing. `error` (may be
 * NULL) receives a sentence that names the file.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_LOGS_H
#define DLC_LOGS_H

#include "dlc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A table: the first line has the names of the columns, each further one a number for each. Where the file exists
 * already, rows are added to it; its columns must be the same (else DLC_BAD_FILE), so that training which goes on
 * continues its table. A name must not have commas, quotes or line ends (DLC_INVALID_ARGUMENT). */
typedef struct dlc_csv dlc_csv;
dlc_status dlc_csv_open(const char *path, const char *const *columns, int32_t count, dlc_csv **out, char *error,
                        size_t error_bytes);
/* Numbers are written so that reading them gives the same double. */
dlc_status dlc_csv_row(dlc_csv *csv, const double *values);
/* Cuts off the rows from the first one on whose number in `column`, from 0, is larger than `most`. Training that goes on
 * from a checkpoint cuts off what a killed program wrote after it: that is trained, and written, once more. */
dlc_status dlc_csv_cut(dlc_csv *csv, int32_t column, double most);
void dlc_csv_close(dlc_csv *csv);

/* Curves for TensorBoard: a file of events, new for each open, in a folder that must exist (one folder is one run).
 * No library of Debian writes such files from C; their records are few and simple, and are written here. */
typedef struct dlc_events dlc_events;
dlc_status dlc_events_open(const char *folder, dlc_events **out, char *error, size_t error_bytes);
/* A point of the curve `tag`, such as "loss/train". TensorBoard keeps values as float. */
dlc_status dlc_events_scalar(dlc_events *events, const char *tag, int64_t step, double value);
/* How numbers are spread, such as a parameter's or a gradient's: 64 buckets of one width from the smallest to the
 * largest; those that are not finite are left out. `dtype` is DLC_F32 or DLC_F64. */
dlc_status dlc_events_histogram(dlc_events *events, const char *tag, int64_t step, int32_t dtype, const void *values,
                                int64_t count);
/* A picture of `pixels` [height][width][channels], each 0 to 255; 1 channel is grey, 3 are red, green and blue. Height
 * and width are 1 to 4096. */
dlc_status dlc_events_image(dlc_events *events, const char *tag, int64_t step, int32_t height, int32_t width,
                            int32_t channels, const uint8_t *pixels);
/* A setting of a run, which TensorBoard's page HPARAMS shows beside those of other runs. */
typedef struct dlc_event_setting {
  const char *name;
  const char *text; /* NULL: a number */
  double number;
} dlc_event_setting;
/* The settings of this run and the tags of the curves, such as "loss/valid", whose last values are shown beside them.
 * Once in a file, before its curves (else DLC_INVALID_ARGUMENT); closing the file says that the run has ended. */
dlc_status dlc_events_hyperparameters(dlc_events *events, const dlc_event_setting *settings, int32_t count,
                                      const char *const *metrics, int32_t metric_count);
void dlc_events_close(dlc_events *events);

#ifdef __cplusplus
}
#endif
#endif
