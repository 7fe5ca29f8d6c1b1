/* What the programs of other languages must print, bit by bit: the training of mlp in C.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: train FOLDER   with images.bin and labels.bin of 8 batches; writes state.safetensors there */
#include "mlp.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { batches = 8, pixels = 784, classes = 10, rows = 50 };
static float images[batches * MLP_BATCH * pixels], scores[rows * classes], bias[128];
static int64_t labels[batches * MLP_BATCH];
static float all[MLP_PARAMETERS_COUNT], product[MLP_TRAINABLE_COUNT];

static void read_file(const char *folder, const char *name, void *to, size_t bytes) {
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file || fread(to, 1, bytes, file) != bytes)
    exit(2);
  fclose(file);
}

static uint32_t bits(float value) {
  uint32_t result;
  memcpy(&result, &value, sizeof result);
  return result;
}

static uint64_t wide_bits(double value) {
  uint64_t result;
  memcpy(&result, &value, sizeof result);
  return result;
}

static void check(dlc_status status, const mlp *model) {
  if (status == DLC_OK)
    return;
  fprintf(stderr, "%s\n", mlp_last_error(model));
  exit(1);
}

static void refused(dlc_status status, const char *sentence) { printf("library %d: %s\n", status, sentence); }

static void print_metrics(const char *name, const dlc_metrics *metrics) {
  printf("%s %016" PRIx64 " %016" PRIx64 " %" PRId64 " %" PRId64 "\n", name, wide_bits(metrics->loss_sum),
         wide_bits(metrics->loss_weight), metrics->correct, metrics->count);
}

/* Entries that another model has written; one of them has a name that is not ASCII. */
static void entries(mlp *model) {
  double number;
  const char *content, *name;
  int32_t is_number[2];
  check(mlp_extra_read_number(model, "\xc3\xa9poque", &number), model);
  check(mlp_extra_read_text(model, "data", &content), model);
  printf("entries %016" PRIx64 " %s %" PRId64 "\n", wide_bits(number), content, mlp_extra_count(model));
  for (int i = 0; i < 2; ++i) {
    check(mlp_extra_name(model, i, &name, &is_number[i]), model);
    if (strcmp(name, i == 0 ? "\xc3\xa9poque" : "data") != 0 || is_number[i] != (i == 0))
      exit(3);
  }
  check(mlp_extra_write_text(model, "data", NULL), model);
  printf("left %" PRId64 "\n", mlp_extra_count(model));
  refused(mlp_extra_read_text(model, "data", &content), mlp_last_error(model));
}

static float step(mlp *model, int i) {
  float loss;
  check(mlp_train_step(model, images + i % batches * MLP_BATCH * pixels, labels + i % batches * MLP_BATCH, &loss), model);
  return loss;
}

static void predict(mlp *model) {
  check(mlp_predict(model, rows, images, scores), model);
  printf("scores %08" PRIx32 " %08" PRIx32 "\n", bits(scores[0]), bits(scores[rows * classes - 1]));
}

/* All parameters and gradients as one array, a product, and a step in slices. */
static void all_at_once(mlp *model) {
  check(mlp_parameters_read_all(model, all, MLP_PARAMETERS_COUNT, 0), model);
  printf("all %08" PRIx32 " %08" PRIx32 "\n", bits(all[0]), bits(all[MLP_PARAMETERS_COUNT - 1]));
  all[1] = 0.5f;
  check(mlp_parameters_write_all(model, all, MLP_TRAINABLE_COUNT, 1), model);
  float loss;
  check(mlp_grad_step(model, images, labels, &loss), model);
  check(mlp_gradients_read_all(model, all, MLP_TRAINABLE_COUNT), model);
  printf("gradients %08" PRIx32 "\n", bits(all[MLP_TRAINABLE_COUNT - 1]));
  all[2] = 0.25f;
  check(mlp_gradients_write_all(model, all, MLP_TRAINABLE_COUNT), model);
  check(mlp_hvp(model, rows, images, labels, all, product), model);
  printf("product %08" PRIx32 "\n", bits(product[MLP_TRAINABLE_COUNT - 1]));
  check(mlp_apply(model), model);
  int32_t done = 0;
  refused(mlp_train_step_continue(model, 0, &done), mlp_last_error(model));
  check(mlp_train_step_begin(model, images, labels), model);
  refused(mlp_predict(model, rows, images, scores),
          "mlp: another thread is inside a call on this model, or a step in slices is not done");
  int slices = 0;
  for (; !done; ++slices)
    check(mlp_train_step_continue(model, 0, &done), model);
  check(mlp_sync(model, &loss), model);
  printf("slices %d %08" PRIx32 "\n", slices, bits(loss));
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  read_file(argv[1], "images.bin", images, sizeof images);
  read_file(argv[1], "labels.bin", labels, sizeof labels);
  dlc_create_options options = {.struct_size = sizeof options, .seed = 5, .use_seed = 1, .threads = 1};
  mlp *model, *other;
  check(mlp_create(&options, &model), NULL);
  for (int i = 0; i < 24; ++i)
    printf("loss %08" PRIx32 "\n", bits(step(model, i)));

  float loss;
  check(mlp_grad_step(model, images, labels, &loss), model);
  printf("grad_step %08" PRIx32 "\n", bits(loss));
  dlc_metrics metrics;
  check(mlp_step_metrics(model, &metrics), model);
  print_metrics("step_metrics", &metrics);
  check(mlp_accumulate(model, images + MLP_BATCH * pixels, labels + MLP_BATCH, &loss), model);
  printf("accumulate %08" PRIx32 "\n", bits(loss));
  check(mlp_sync(model, &loss), model);
  printf("sync %08" PRIx32 "\n", bits(loss));
  double norm, rate;
  check(mlp_grad_norm(model, &norm), model);
  printf("norm %016" PRIx64 "\n", wide_bits(norm));
  check(mlp_gradient_read(model, "fc2.bias", bias, sizeof bias), model);
  printf("gradient %08" PRIx32 "\n", bits(bias[127]));
  bias[127] = 0.5f;
  check(mlp_gradient_write(model, "fc2.bias", bias, sizeof bias), model);
  check(mlp_set_learning_rate(model, 0.002), model);
  check(mlp_get_learning_rate(model, &rate), model);
  printf("rate %016" PRIx64 "\n", wide_bits(rate));
  check(mlp_apply(model), model);
  printf("steps %" PRId64 "\n", mlp_step_count(model));
  check(mlp_parameter_read(model, "fc2.bias", bias, sizeof bias), model);
  printf("parameter %08" PRIx32 "\n", bits(bias[127]));
  bias[127] = 0.25f;
  check(mlp_parameter_write(model, "fc2.bias", bias, sizeof bias), model);

  check(mlp_eval_step(model, rows, images, labels, &metrics), model);
  print_metrics("metrics", &metrics);
  predict(model);

  char path[1000];
  snprintf(path, sizeof path, "%s/state.safetensors", argv[1]);
  check(mlp_extra_write_number(model, "\xc3\xa9poque", 7.25), model);
  check(mlp_extra_write_text(model, "data", "fashion, normalized"), model);
  check(mlp_save(model, path), model);
  printf("next %08" PRIx32 "\n", bits(step(model, 0)));
  check(mlp_load(model, path), model);
  printf("again %08" PRIx32 "\n", bits(step(model, 0)));
  check(mlp_set_seed(model, 9), model);
  printf("seeded %08" PRIx32 "\n", bits(step(model, 1)));
  size_t bytes;
  check(mlp_save_to_memory(model, NULL, 0, &bytes), model);
  void *memory = malloc(bytes);
  check(mlp_save_to_memory(model, memory, bytes, &bytes), model);
  printf("bytes %zu\n", bytes);
  check(mlp_create(&options, &other), NULL);
  refused(mlp_step_metrics(other, &metrics), mlp_last_error(other));
  check(mlp_load_from_memory(other, memory, bytes), other);
  entries(other);
  predict(other);
  printf("ahead %08" PRIx32 "\n", bits(step(other, 2)));
  check(mlp_copy_state(model, other), model);
  predict(model);
  all_at_once(model);
  predict(model);

  const int64_t label = labels[3];
  labels[3] = 10;
  refused(mlp_train_step(model, images, labels, &loss), mlp_last_error(model));
  labels[3] = label;
  refused(mlp_set_learning_rate(model, -1), mlp_last_error(model));
  snprintf(path, sizeof path, "%s/missing", argv[1]);
  refused(mlp_load(model, path), mlp_last_error(model));
  char error[1000];
  options.weights_path = path, options.error = error, options.error_bytes = sizeof error;
  mlp *none;
  refused(mlp_create(&options, &none), error);
  predict(model);
  free(memory);
  mlp_destroy(model);
  mlp_destroy(other);
}
