/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the end-to-end programs share: the example's model, the shipped images, comparison of states. A
 * model's whole state is what mlp_save writes, so two states are equal where two files are. */
#ifndef DLC_TESTS_E2E_TRAINING_H
#define DLC_TESTS_E2E_TRAINING_H

#include "mlp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline _Noreturn void fail(const char *what, const char *why) {
  fprintf(stderr, "FAIL %s: %s\n", what, why);
  exit(1);
}

/* For calls that must work. */
static inline void check(dlc_status status, const mlp *model, const char *what) {
  if (status != DLC_OK)
    fail(what, model ? mlp_last_error(model) : dlc_status_string(status));
}

static inline mlp *create(int32_t threads) {
  mlp *model;
  dlc_create_options options = {.struct_size = sizeof options, .seed = 7, .use_seed = 1, .threads = threads};
  check(mlp_create(&options, &model), NULL, "mlp_create");
  return model;
}

typedef struct data_set {
  dlc_array images, labels;
} data_set;

static inline dlc_array read_idx(const char *folder, const char *name, const dlc_scaling *scaling) {
  char path[4096], error[512];
  dlc_array array;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (dlc_read_idx(path, scaling, &array, error, sizeof error) != DLC_OK)
    fail(path, error);
  return array;
}

static inline data_set read_data(const char *folder) {
  const dlc_scaling scaling = {1 / 255.0, 0.2860, 0.3530};
  data_set data = {read_idx(folder, "train-images-idx3-ubyte.gz", &scaling),
                   read_idx(folder, "train-labels-idx1-ubyte.gz", NULL)};
  return data;
}

static inline void free_data(data_set *data) {
  dlc_array_free(&data->images);
  dlc_array_free(&data->labels);
}

/* The batch of a step: rows in file order, from the start again when they are used up. */
static inline const float *batch_images(const data_set *data, int64_t step) {
  int64_t batches = data->images.shape[0] / MLP_BATCH;
  return (const float *)data->images.data + step % batches * MLP_BATCH * 784;
}
static inline const int64_t *batch_labels(const data_set *data, int64_t step) {
  int64_t batches = data->images.shape[0] / MLP_BATCH;
  return (const int64_t *)data->labels.data + step % batches * MLP_BATCH;
}

/* Steps [first, last). */
static inline void train(mlp *model, const data_set *data, int64_t first, int64_t last) {
  for (int64_t step = first; step < last; ++step)
    check(mlp_train_step(model, batch_images(data, step), batch_labels(data, step), NULL), model,
          "train_step");
}

static inline char *read_file(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0)
    fail(path, "cannot be opened");
  long size = ftell(file);
  rewind(file);
  char *content = malloc((size_t)size + 1);
  if (!content || fread(content, 1, (size_t)size, file) != (size_t)size)
    fail(path, "cannot be read");
  fclose(file);
  *bytes = (size_t)size;
  return content;
}

static inline int same_files(const char *first, const char *second) {
  size_t first_bytes, second_bytes;
  char *a = read_file(first, &first_bytes), *b = read_file(second, &second_bytes);
  int same = first_bytes == second_bytes && !memcmp(a, b, first_bytes);
  free(a);
  free(b);
  return same;
}

static inline void expect_same_files(const char *first, const char *second, const char *what) {
  if (!same_files(first, second))
    fail(what, "the states differ");
  printf("ok   %s\n", what);
}

#endif
