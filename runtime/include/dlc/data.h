/*===-- dlc/data.h - data sets of other formats ---------------------------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Readers of data beside those of dlc/runtime.h. What they read becomes a dlc_array, whose first axis counts the
 * samples, for a dlc_loader. Files are checked against their own size before memory is taken for them. `error`
 * (may be NULL) receives a sentence that names the file, and the place in it.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_DATA_H
#define DLC_DATA_H

#include "dlc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tables ------------------------------------------------------------------------------------ */

/* A CSV file (RFC 4180) in memory: rows of as many cells as the first line has, separated by commas; in quotes, a cell
 * may hold commas, line ends and "" for a quote. Lines may end in CR LF, empty lines are skipped. */
typedef struct dlc_table dlc_table;
typedef struct dlc_table_options {
  size_t struct_size;
  char separator;     /* 0: a comma */
  char reserved[3];
  int32_t no_header;  /* 1: the first line is data, and the columns are called 1, 2 ...; 0: it has their names */
} dlc_table_options;
/* `options` may be NULL. Errors: DLC_IO_ERROR; DLC_BAD_FILE, with the line, for a row of another number of cells, a
 * quote that does not end, two columns of one name, a file without rows. */
dlc_status dlc_table_read(const char *path, const dlc_table_options *options, dlc_table **out, char *error,
                          size_t error_bytes);
int64_t dlc_table_rows(const dlc_table *table);
int32_t dlc_table_columns(const dlc_table *table);
/* The name of a column, the text of a cell, the line in the file where a row begins; NULL and 0 beyond the table.
 * Spaces around them are left out where they stand outside of quotes. */
const char *dlc_table_name(const dlc_table *table, int32_t column);
const char *dlc_table_cell(const dlc_table *table, int64_t row, int32_t column);
int64_t dlc_table_line(const dlc_table *table, int64_t row);
/* The column of that name, -1 where there is none. */
int32_t dlc_table_find(const dlc_table *table, const char *name);
/* The numbers of `count` columns, in their order, as an array [rows][count] of `dtype`: DLC_F32, DLC_F64, DLC_I32 or
 * DLC_I64. DLC_BAD_FILE names the line and the column of a cell that is empty, no number, not finite, or no whole
 * number of that size where one is asked for. */
dlc_status dlc_table_numbers(const dlc_table *table, const int32_t *columns, int32_t count, int32_t dtype,
                             dlc_array *out, char *error, size_t error_bytes);
void dlc_table_free(dlc_table *table);

/* The different words of a column, in the order of their bytes: a class is the place of its word, from 0. They stay when
 * the table goes. DLC_BAD_FILE names the lines where a column has words and numbers: one of the two is a slip. */
typedef struct dlc_classes dlc_classes;
dlc_status dlc_table_classes(const dlc_table *table, int32_t column, dlc_classes **out, char *error, size_t error_bytes);
/* The classes of words that were written down, as dlc train does into preprocessing.json: different ones, in the order of
 * their bytes; else DLC_INVALID_ARGUMENT. They are copied. */
dlc_status dlc_classes_create(const char *const *names, int64_t count, dlc_classes **out, char *error,
                              size_t error_bytes);
int64_t dlc_classes_count(const dlc_classes *classes);
/* The word of a class, NULL where there is none; and the class of a word, -1 where it is none. */
const char *dlc_classes_name(const dlc_classes *classes, int64_t index);
int64_t dlc_classes_find(const dlc_classes *classes, const char *name);
/* The classes of a column's words as an array [rows] of I64, also of another table than the one that the classes are of:
 * data to test with have the numbers that training had. DLC_BAD_FILE names the line and the word that is no class. */
dlc_status dlc_table_labels(const dlc_table *table, int32_t column, const dlc_classes *classes, dlc_array *out,
                            char *error, size_t error_bytes);
void dlc_classes_free(dlc_classes *classes);

/* ---- arrays of NumPy, safetensors -------------------------------------------------------------- */

/* Reads what numpy.save writes (.npy): bool, integers of up to 64 bits (unsigned ones up to 32), float16, float32 and
 * float64, of either byte order, row by row; arrays saved column by column (fortran_order) of more than one dimension are
 * refused. With `scaling` the result is DLC_F32; else float32 and float64 keep their type, float16 becomes
 * DLC_F32, and integers become DLC_I32, or DLC_I64 where they may not fit. */
dlc_status dlc_read_npy(const char *path, const dlc_scaling *scaling, dlc_array *out, char *error,
                        size_t error_bytes);

/* Reads bytes as they are, DLC_U8, such as the pixels of a model that takes them: of an IDX file, plain or compressed with
 * gzip, or of a file of NumPy with uint8. DLC_BAD_FILE for values of another type. */
dlc_status dlc_read_bytes(const char *path, dlc_array *out, char *error, size_t error_bytes);

/* The arrays of a file that numpy.savez or numpy.savez_compressed wrote (.npz). They are in the file's order, and called as
 * they were in Python: arr_0 where they had no name. Other members of the archive are passed over; DLC_BAD_FILE where
 * it has none that is an array. */
typedef struct dlc_npz dlc_npz;
dlc_status dlc_npz_open(const char *path, dlc_npz **out, char *error, size_t error_bytes);
int64_t dlc_npz_count(const dlc_npz *npz);
/* The name of an array, NULL beyond the last. */
const char *dlc_npz_name(const dlc_npz *npz, int64_t index);
/* Reads one of them, as dlc_read_npy does; its checksum is compared. Threads may call it at the same time. Errors:
 * DLC_NOT_FOUND; DLC_BAD_FILE for what dlc_read_npy refuses, and for members that are encrypted or compressed in another way
 * than by deflate. */
dlc_status dlc_npz_read(const dlc_npz *npz, const char *name, const dlc_scaling *scaling, dlc_array *out, char *error,
                        size_t error_bytes);
void dlc_npz_close(dlc_npz *npz);

/* A safetensors file, of any program, and its tensors. Their order is that of their names. */
typedef struct dlc_tensors dlc_tensors;
dlc_status dlc_tensors_open(const char *path, dlc_tensors **out, char *error, size_t error_bytes);
int64_t dlc_tensors_count(const dlc_tensors *tensors);
/* The name of a tensor, NULL beyond the last. */
const char *dlc_tensors_name(const dlc_tensors *tensors, int64_t index);
/* Reads one of them, in a type that dlc has. Errors: DLC_NOT_FOUND; DLC_BAD_FILE for another type, and for a
 * tensor without dimensions or elements, which is no array of samples. */
dlc_status dlc_tensors_read(const dlc_tensors *tensors, const char *name, dlc_array *out, char *error,
                            size_t error_bytes);
void dlc_tensors_close(dlc_tensors *tensors);

/* ---- random changes of images ------------------------------------------------------------------ */

/* Changes of images [channels][height][width] of floats from 0 (black) to 1 (white), named by a text: one or several of these
 * with commas between them. Each draws its own numbers for each image; those of torchvision are meant, with bilinear
 * interpolation and black outside.
 *   crop:4                       the image with a black border of 4 pixels, cut out at random in its own size
 *   flip                         mirrored left to right, one half of the images. These two come first
 *   rotate:15                    turned by up to 15 degrees to either side
 *   affine:10/0.1/0.9/1.1/5      turned by up to 10 degrees, moved by up to 0.1 of width and height, 0.9 to 1.1 times as
 *                                large, sheared by up to 5 degrees; what is left out at the end is no change
 *   color:0.4/0.4/0.4/0.1        brightness, contrast and saturation times 0.6 to 1.4, hue turned by up to 0.1 of its
 *                                circle, in an order of their own for each image: 3 channels, or 1, which has no colour
 *   erase:0.5                    half of the images get a black rectangle of 2 % to 33 % of their area; alone: erase
 *   mixup:0.2                    a batch is mixed with itself, moved by one sample: each image and its targets with those
 *                                before, by a share of the beta distribution (0.2, 0.2)
 *   cutmix:1                     a rectangle of each image comes from the one before, and as much of the targets. With mixup, too,
 *                                each batch has one of both
 * The last two are for loaders alone (dlc_loader_options), as they need a batch. */
typedef struct dlc_changes dlc_changes;
/* `black` and `white` are what these are in each channel of images that are normalized; NULL: 0 and 1. DLC_INVALID_ARGUMENT
 * says what is expected in place of what a text has. */
dlc_status dlc_changes_create(const char *text, int64_t channels, int64_t height, int64_t width, const float *black,
                              const float *white, dlc_changes **out, char *error, size_t error_bytes);
/* Writes the image `from`, changed by numbers that follow from `seed` alone, to `to`, which is another place. Threads may call it
 * at the same time. DLC_OUT_OF_MEMORY; DLC_INVALID_ARGUMENT for NULL and for mixup and cutmix. */
dlc_status dlc_changes_apply(const dlc_changes *changes, uint64_t seed, const float *from, float *to);
void dlc_changes_free(dlc_changes *changes);
/* Whether a text names changes: DLC_OK, or a sentence. `mixes` (may be NULL) becomes 1 where mixup or cutmix is among them. */
dlc_status dlc_changes_check(const char *text, int32_t *mixes, char *error, size_t error_bytes);

/* The same by numbers of the caller's, as torchvision.transforms.functional.affine with bilinear interpolation and fill 0:
 * degrees clockwise, pixels, degrees. */
typedef struct dlc_affine {
  double angle, right, down;
  double scale;            /* above 0 */
  double shear_x, shear_y; /* -89 to 89 */
} dlc_affine;
dlc_status dlc_image_affine(const float *from, int64_t channels, int64_t height, int64_t width, const dlc_affine *place,
                            float *to);
/* adjust_brightness, adjust_contrast, adjust_saturation (a factor of 0 or more) and adjust_hue (-0.5 to 0.5), in place. */
typedef enum dlc_adjustment {
  DLC_BRIGHTNESS = 0,
  DLC_CONTRAST = 1,
  DLC_SATURATION = 2,
  DLC_HUE = 3
} dlc_adjustment;
dlc_status dlc_image_adjust(float *image, int64_t channels, int64_t height, int64_t width, dlc_adjustment what,
                            double factor);

/* ---- parts of a data set, and data sets that a program makes ----------------------------------- */

/* Writes 0 to samples - 1 to `order`, shuffled. Parts of it are sets for training, validation and tests, which are
 * the same for the same seed. */
dlc_status dlc_split(int64_t samples, uint64_t seed, int64_t *order);

/* A tensor of each sample, such as an image or its label. */
typedef struct dlc_field {
  int32_t dtype;
  int32_t rank;     /* 0: one number */
  int64_t shape[8]; /* of one sample; batches have the rows before it */
  int32_t padded;   /* 1: samples may have fewer than shape[0] of the first axis. A batch has as many as the longest
                       of its samples, in all padded fields, and shorter ones are filled up */
  int32_t reserved;
  double padding;   /* with this number */
} dlc_field;

/* Where a sample goes. */
typedef struct dlc_sample {
  void *const *fields; /* room for the largest values of each field, dense */
  int64_t *lengths;    /* for each field: of its first axis, 1 to shape[0], which it is set to before */
  uint64_t random;     /* follows from the loader's seed, the epoch and the sample: the seed of what is random */
  char *error;         /* room for a sentence about what went wrong */
  size_t error_bytes;
} dlc_sample;

/* Samples by their number: what a program reads, computes or changes itself. `get` is called by the loader's threads at
 * the same time, and writes one sample. If it does not return DLC_OK, dlc_loader_next returns what it does for the
 * batch. */
typedef struct dlc_dataset {
  int64_t samples;
  int32_t field_count;
  int32_t reserved;
  const dlc_field *fields;
  dlc_status (*get)(void *context, int64_t sample, const dlc_sample *to);
  void *context;
} dlc_dataset;

/* A loader of such samples; its batches have an array for each field. The fields are read at create. */
dlc_status dlc_loader_create_dataset(const dlc_dataset *dataset, const dlc_loader_options *options, dlc_loader **out);
/* Of the batch that dlc_loader_next gave: the length of the padded fields (0 if there are none), and the sentence
 * about a sample that could not be made ("" if all could). Valid until the next call on the loader. */
int64_t dlc_loader_length(const dlc_loader *loader);
const char *dlc_loader_last_error(const dlc_loader *loader);

/* Rows of a file of NumPy or of IDX (not compressed) that are read when they are asked for: the file may be larger than
 * memory. Not mapped, so that a file that becomes shorter meanwhile is an error and no signal. Values become those that
 * dlc_read_npy and dlc_read_idx give. */
typedef struct dlc_rows dlc_rows;
dlc_status dlc_rows_open(const char *path, const dlc_scaling *scaling, dlc_rows **out, char *error,
                         size_t error_bytes);
/* The same of bytes as they are, as dlc_read_bytes reads them. */
dlc_status dlc_rows_open_bytes(const char *path, dlc_rows **out, char *error, size_t error_bytes);
int64_t dlc_rows_count(const dlc_rows *rows);
/* Dtype and shape of a row. */
dlc_field dlc_rows_field(const dlc_rows *rows);
/* Threads may call it at the same time. */
dlc_status dlc_rows_read(const dlc_rows *rows, int64_t row, void *to, char *error, size_t error_bytes);
void dlc_rows_close(dlc_rows *rows);

#ifdef __cplusplus
}
#endif
#endif
