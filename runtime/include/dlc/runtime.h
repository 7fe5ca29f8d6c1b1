/*===-- dlc/runtime.h - the host API shared by all compiled models --------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A compiled model's header includes this file and nothing else but the C library. Here are the types
 * of the model functions (status codes, options, metrics) and what a training program needs besides:
 * reading data sets, shuffled mini-batches, a progress line.
 *
 * Every function returns a dlc_status; none throws, aborts or keeps global state. Out-parameters are
 * set to zero or NULL before anything can fail. Threads of the runtime do not survive fork(): create
 * handles in the child.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_RUNTIME_H
#define DLC_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dlc_status {
  DLC_OK = 0,
  DLC_INVALID_ARGUMENT = 1,   /* a NULL, a size out of range, a misaligned arena */
  DLC_OUT_OF_MEMORY = 2,
  DLC_IO_ERROR = 3,           /* a file cannot be opened, read or written */
  DLC_BAD_FILE = 4,           /* a file's content is not what it should be */
  DLC_INDEX_OUT_OF_RANGE = 5, /* a label or index outside its valid range */
  DLC_NOT_FINITE = 6,         /* checking is on and the loss is NaN or infinite */
  DLC_UNSUPPORTED_CPU = 7,    /* the library was compiled for instructions this CPU lacks */
  DLC_ABI_MISMATCH = 8,       /* header, library and runtime were not made together */
  DLC_NOT_FOUND = 9,          /* no parameter, hyperparameter or tensor of that name */
  DLC_BUSY = 10,              /* another thread is inside a call on the same handle */
  DLC_UNAVAILABLE = 11,       /* the model was compiled without what the call needs */
  DLC_UNSUPPORTED_DEVICE = 12, /* no driver, no GPU, or one that the library has no code for */
  DLC_DEVICE_FAILED = 13      /* the GPU or its driver has failed: the handle can only be destroyed */
} dlc_status;

/* A short English name of the status, never NULL. */
const char *dlc_status_string(dlc_status status);

/* Types of elements. Their sizes in bytes: 4, 8, 4, 8, 1, 2, 2, 1. A boolean is one byte, 0 or 1; DLC_U8 is a byte from 0
 * to 255. */
typedef enum dlc_dtype {
  DLC_F32 = 1, DLC_F64 = 2, DLC_I32 = 3, DLC_I64 = 4, DLC_BOOL = 5, DLC_BF16 = 6, DLC_F16 = 7, DLC_U8 = 8
} dlc_dtype;

/* Options of <model>_create. Set struct_size to sizeof(dlc_create_options), the rest to zero for the
 * defaults. Fields are only ever added at the end: struct_size says which of them the program knows. It is
 * DLC_INVALID_ARGUMENT where it is no size that the struct has had in a header (here 80, in older ones 72), as it
 * is in the other structs of options. */
typedef struct dlc_create_options {
  size_t struct_size;
  const char *weights_path; /* a safetensors file with the initial parameters; NULL: the file that the
                               compiler wrote, in the program's working directory, or the weights in the
                               library. From a file that <model>_save has written, only parameters and
                               buffers are taken; use <model>_load to resume training */
  uint64_t seed;            /* of dropout; used if use_seed below is 1, else the compiled seed */
  int32_t use_seed;         /* 1: take `seed` */
  int32_t threads;          /* 0: one per available core */
  void *arena;              /* NULL: allocated; else 64-byte aligned, at least <MODEL>_ARENA_BYTES */
  size_t arena_bytes;
  int32_t check_finite;     /* 1: train_step, grad_step, accumulate and apply fail with DLC_NOT_FINITE where
                               the loss, a gradient, a parameter, a running statistic or the optimizer's
                               state would be NaN or infinite, leaving the state as it was (costs a copy of
                               the state and a look through it a step) */
  int32_t reserved;
  char *error;              /* NULL, or where to write a sentence if create fails ... */
  size_t error_bytes;       /* ... and the size of that buffer */
  const char *device;       /* NULL: the first of the library's targets that this machine can run; "cpu"; "gpu": the
                               first GPU, "gpu:1": the second one; "cuda" and "cuda:1" are other names for them */
} dlc_create_options;

/* Results of an evaluation step; add them up over the batches of a data set. */
typedef struct dlc_metrics {
  double loss_sum;    /* sum of the rows' losses */
  double loss_weight; /* loss_sum / loss_weight is the mean loss: the number of rows, or the sum of their
                         weights. If the model computes its loss itself (--loss=output), and does not end in
                         an ONNX loss node, nobody knows how many rows its loss is of: then 1 for each call */
  int64_t correct;    /* labels whose class has the largest score. With a binary loss: rows whose elements are
                         all on the target's side. With other losses: 0 */
  int64_t count;      /* labels that are not ignored; with losses without classes: rows */
} dlc_metrics;

typedef struct dlc_parameter_info {
  const char *name;
  int32_t dtype;        /* dlc_dtype */
  int32_t rank;
  const int64_t *shape; /* logical shape */
  size_t bytes;         /* of the logical form */
  int32_t trainable;    /* 0: frozen or a buffer */
  int32_t is_buffer;    /* 1: running statistic */
} dlc_parameter_info;

/* ---- data sets -------------------------------------------------------------------------------- */

/* A tensor held in memory: row-major, first axis = samples. */
typedef struct dlc_array {
  int32_t dtype;
  int32_t rank;
  int64_t shape[8];
  size_t bytes;
  void *data; /* released by dlc_array_free */
} dlc_array;

/* Scaling applied while bytes become floats: (value * scale - mean) / deviation. */
typedef struct dlc_scaling {
  double scale, mean, deviation; /* e.g. 1/255.0, 0.2860, 0.3530; deviation 0 is an error */
} dlc_scaling;

/* Reads an IDX file (the format of MNIST, http://yann.lecun.com/exdb/mnist), plain or compressed with gzip.
 * The result has the type DLC_F32 if `scaling` is given, and DLC_I64 for integers without it (labels).
 * `error` (may be NULL) receives a sentence that names the file. */
dlc_status dlc_read_idx(const char *path, const dlc_scaling *scaling, dlc_array *out, char *error,
                        size_t error_bytes);
void dlc_array_free(dlc_array *array);

/* Reads files in the binary format of CIFAR-10 or CIFAR-100 (https://www.cs.toronto.edu/~kriz/cifar.html), one
 * after the other: records of one label byte (CIFAR-100: two, of which the second, the class, is taken) and
 * 3x32x32 pixels, each color whole. `classes` is 10 or 100. `images_per_file` is what each file must hold, which
 * is 10000 in CIFAR-10; 0 takes any number. A file that ends inside a record, holds another number, or has a
 * label that is none is refused. `scaling` has one entry for each of the three channels; NULL gives pixels from 0
 * to 1. `images` becomes DLC_F32 [n][3][32][32], `labels` DLC_I64 [n]. `error` (may be NULL) receives a sentence
 * that names the file. */
dlc_status dlc_read_cifar(const char *const *paths, int32_t path_count, int32_t classes, int64_t images_per_file,
                          const dlc_scaling *scaling, dlc_array *images, dlc_array *labels, char *error,
                          size_t error_bytes);

/* Random changes of the images of a loader while a batch is gathered. What happens to a sample depends on the
 * loader's seed, on the epoch and on the sample only. */
typedef struct dlc_augmentation {
  int32_t images;    /* which of the loader's arrays, or of its data set's fields: DLC_F32,
                        [samples][channels][height][width], or without the channels where there is one */
  int32_t padding;   /* the image is moved by up to so many pixels up or down, and left or right, each distance
                        equally likely: a random crop of the image with a border of this width. 0: not moved */
  int32_t mirror;    /* 1: mirrored left to right, for one half of the samples */
  int32_t reserved;
  const float *fill; /* the border's value for each channel, read at create; NULL: 0, which is the mean of pixels
                        that are scaled to the mean 0 */
} dlc_augmentation;

/* Shuffled mini-batches, gathered ahead by background threads. Every sample is delivered exactly once
 * an epoch; the order depends on seed and epoch only, never on the number of threads. The arrays stay
 * the caller's and must outlive the loader. */
typedef struct dlc_loader dlc_loader;
typedef struct dlc_loader_options {
  size_t struct_size;
  int64_t batch;       /* rows a batch */
  uint64_t seed;
  int32_t shuffle;     /* 1: a new permutation each epoch */
  int32_t drop_last;   /* 1: skip an incomplete last batch; 0: deliver it with fewer rows */
  int32_t threads;     /* background threads, 0: gather in dlc_loader_next */
  int32_t prefetch;    /* batches gathered ahead, 0: 2 per thread */
  char *error;         /* NULL, or where to write a sentence if create fails ... */
  size_t error_bytes;  /* ... and the size of that buffer */
  const dlc_augmentation *augmentation; /* NULL: images as they are. Read at create */
  const int64_t *samples; /* NULL: all; else the numbers of those that an epoch has, such as a part of dlc_split. Read at
                             create, as are the weights */
  int64_t sample_count;
  const double *weights;  /* NULL; else one for each sample of an epoch: as many are drawn, again and again, each with a
                             chance in proportion to its weight. Needs shuffle */
  const char *changes;    /* NULL; else further changes of the images that `augmentation` names, such as
                             "rotate:15,color:0.4/0.4,mixup:0.2": dlc_changes_create in dlc/data.h says which there are.
                             Read at create, as are the following */
  const float *white;     /* what white is in each channel of these images, where the fill is black; NULL: 1 */
  const int32_t *mixed;   /* with mixup or cutmix, the arrays or fields that are mixed as the images are, which are of
                             DLC_F32: targets */
  int32_t mixed_count;
  int32_t bucket;         /* batches of samples of about equal length: of each so many batches of the shuffled order, the
                             samples are sorted by length; then the full batches of the epoch are shuffled. 0: not; needs
                             shuffle and ... */
  const int64_t *lengths; /* ... the length of each sample of the arrays or the data set */
  int32_t rank;           /* which of `ranks` processes this one is, from 0. Each batch of `batch` rows, the same in all of
                             them, is cut into parts: of n rows, n * rank / ranks up to n * (rank + 1) / ranks */
  int32_t ranks;          /* 0 or 1: one process, which has all rows */
} dlc_loader_options;
dlc_status dlc_loader_create(const dlc_array *const *arrays, int32_t array_count,
                             const dlc_loader_options *options, dlc_loader **out);
/* Starts epoch `epoch`; batches that are left of an epoch before it are lost. Call it before the first `next`. */
dlc_status dlc_loader_start(dlc_loader *loader, int64_t epoch);
/* The same, from batch `batch` of the epoch on, 0 to dlc_loader_batches: how training goes on in the middle of an
 * epoch. */
dlc_status dlc_loader_start_at(dlc_loader *loader, int64_t epoch, int64_t batch);
/* The next batch: its rows (0 at the end of the epoch) and one pointer per array, valid until the next
 * call on this loader. A batch of fewer rows than `ranks` leaves a rank without any: then *rows is 0 and the pointers are
 * not NULL, which they are at the end. */
dlc_status dlc_loader_next(dlc_loader *loader, int64_t *rows, const void **batch);
/* Batches of an epoch, of which each rank has as many. */
int64_t dlc_loader_batches(const dlc_loader *loader);
void dlc_loader_destroy(dlc_loader *loader);

/* Windows of a file of tokens, for language models. The file holds tokens and nothing else: whole numbers of two
 * bytes, or of four (not negative), little-endian. It is read window by window and may be larger than memory; a
 * window is never taken across the end. Batch `step` follows from the options and `step` alone, so that training
 * goes on anywhere, in the middle of an epoch too, where the program keeps this one number. */
typedef struct dlc_tokens dlc_tokens;
typedef struct dlc_tokens_options {
  size_t struct_size;
  int32_t token_bytes; /* 2 or 4 */
  int32_t random;      /* 1: each window begins anywhere, independently of the others (drawn from seed, step and
                          row); 0: one window after the other, and from the beginning again */
  int64_t window;      /* tokens of a row */
  int64_t batch;       /* rows */
  uint64_t seed;
  int64_t vocabulary;  /* tokens that are not below it are an error of the batch that reads them; 0: any number */
  int64_t first;       /* the part of the file that is used: its first token ... */
  int64_t count;       /* ... and its tokens; 0: to the end */
  char *error;         /* NULL, or where to write a sentence if open or a batch fails ... */
  size_t error_bytes;  /* ... and the size of that buffer: it must outlive the tokens */
  int32_t rank;        /* which of `ranks` processes this one is, from 0: it reads its rows of each batch, those that */
  int32_t ranks;       /* dlc_loader_options say. 0 or 1: all rows */
} dlc_tokens_options;
dlc_status dlc_tokens_open(const char *path, const dlc_tokens_options *options, dlc_tokens **out);
/* Tokens of the part that is used. */
int64_t dlc_tokens_count(const dlc_tokens *tokens);
/* Batches of an epoch in order; each window is in one of them, those of the beginning fill up the last. Random
 * batches have no epochs: so many see as many tokens. */
int64_t dlc_tokens_batches(const dlc_tokens *tokens);
/* Rows of a batch that this rank has; without ranks, `batch`. */
int64_t dlc_tokens_rows(const dlc_tokens *tokens);
/* Batch `step`, from 0: `inputs` [rows][window], and in `targets`, if it is not NULL, for each token the next one.
 * Threads may call it at the same time for different arrays, if they are given no buffer for errors. */
dlc_status dlc_tokens_batch(const dlc_tokens *tokens, int64_t step, int64_t *inputs, int64_t *targets);
void dlc_tokens_close(dlc_tokens *tokens);
/* A window may begin in one document and end in another. In `documents`, for each of rows * window tokens, the number of
 * its document in its row, from 0: a document ends with the token `separator`. A model that has them as an input lets a
 * token see those of its own document, where the numbers are equal. If `targets` is not NULL, those after a separator,
 * which nothing foretells, become `ignored`, such as -100. */
dlc_status dlc_tokens_documents(const int64_t *tokens, int64_t rows, int64_t window, int64_t separator,
                                int64_t *documents, int64_t *targets, int64_t ignored);

/* ---- progress --------------------------------------------------------------------------------- */

/* Rewrites one line on stderr, at most ten times a second and only when stderr is a terminal:
 * "epoch 2  [#####.....]  460/938  loss 0.4312  1.9 s left". `done == total` ends the line; destroyed before, it is removed. */
typedef struct dlc_progress dlc_progress;
dlc_status dlc_progress_create(const char *label, int64_t total, dlc_progress **out);
void dlc_progress_update(dlc_progress *progress, int64_t done, double loss);
/* A text that the line shows after the loss from the next update on, such as "lr 0.001"; it is copied, and cut to 60
 * bytes. */
void dlc_progress_note(dlc_progress *progress, const char *note);
void dlc_progress_destroy(dlc_progress *progress);

#ifdef __cplusplus
}
#endif
#endif
