/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   victim FOLDER [forever]
 *
 * A program as users write it, around the compiled model of FOLDER/model.onnx's library: reads FOLDER/points.csv, trains
 * on batches of a loader with a thread, saves FOLDER/state and loads it again. Every failure is reported and ends it with
 * status 1. `forever`: loads FOLDER/state where it is there, then trains and saves again and again, and prints the step
 * after each. */
#include "dlc/data.h"
#include "model.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static char error[512];
static int fail(const char *what, dlc_status status) {
  fprintf(stderr, "victim: error: %s: status %d: %s\n", what, (int)status, error);
  return 1;
}

struct State {
  dlc_table *table;
  dlc_array points, labels;
  dlc_loader *loader;
  model *model;
};

static int prepare(struct State *s, const char *folder) {
  char path[512];
  snprintf(path, sizeof path, "%s/points.csv", folder);
  dlc_status status = dlc_table_read(path, NULL, &s->table, error, sizeof error);
  if (status)
    return fail("table", status);
  const int32_t columns[] = {0, 1}, label[] = {2};
  if ((status = dlc_table_numbers(s->table, columns, 2, DLC_F32, &s->points, error, sizeof error)))
    return fail("points", status);
  if ((status = dlc_table_numbers(s->table, label, 1, DLC_F32, &s->labels, error, sizeof error)))
    return fail("labels", status);
  const dlc_array *arrays[] = {&s->points, &s->labels};
  dlc_loader_options loading = {0};
  loading.struct_size = sizeof loading;
  loading.batch = MODEL_BATCH;
  loading.seed = 3;
  loading.shuffle = 1;
  loading.drop_last = 1;
  loading.threads = 1;
  if ((status = dlc_loader_create(arrays, 2, &loading, &s->loader)))
    return fail("loader", status);
  dlc_create_options options = {0};
  snprintf(path, sizeof path, "%s/model.safetensors", folder);
  options.struct_size = sizeof options;
  options.weights_path = path;
  options.threads = 2;
  options.error = error;
  options.error_bytes = sizeof error;
  if ((status = model_create(&options, &s->model)))
    return fail("create", status);
  return 0;
}

static int modelFails(struct State *s, const char *what, dlc_status status) {
  snprintf(error, sizeof error, "%s", model_last_error(s->model));
  return fail(what, status);
}

static int epoch(struct State *s, int64_t number) {
  dlc_status status = dlc_loader_start(s->loader, number);
  if (status)
    return fail("start", status);
  for (;;) {
    int64_t rows;
    const void *batch[2];
    if ((status = dlc_loader_next(s->loader, &rows, batch)))
      return fail("next", status);
    if (rows == 0)
      return 0;
    float loss;
    if ((status = model_train_step(s->model, batch[0], batch[1], &loss)))
      return modelFails(s, "train_step", status);
  }
}

static int saves(struct State *s, const char *path) {
  const dlc_status status = model_save(s->model, path);
  return status ? modelFails(s, "save", status) : 0;
}

static int trainForever(struct State *s, const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) {
    fclose(file);
    const dlc_status status = model_load(s->model, path);
    if (status)
      return modelFails(s, "load", status);
    printf("loaded %" PRId64 "\n", model_step_count(s->model));
    fflush(stdout);
  }
  for (int64_t number = 0;; ++number) {
    if (epoch(s, number) || saves(s, path))
      return 1;
    printf("saved %" PRId64 "\n", model_step_count(s->model));
    fflush(stdout);
  }
}

static int run(struct State *s, const char *folder, int isForever) {
  if (prepare(s, folder))
    return 1;
  char path[512];
  snprintf(path, sizeof path, "%s/state", folder);
  if (isForever)
    return trainForever(s, path);
  if (epoch(s, 0) || saves(s, path))
    return 1;
  const dlc_status status = model_load(s->model, path);
  return status ? modelFails(s, "load", status) : 0;
}

int main(int argc, char **argv) {
  struct State state;
  memset(&state, 0, sizeof state);
  const int failed = argc < 2 || run(&state, argv[1], argc > 2);
  dlc_loader_destroy(state.loader);
  dlc_array_free(&state.points);
  dlc_array_free(&state.labels);
  dlc_table_free(state.table);
  model_destroy(state.model);
  return failed;
}
