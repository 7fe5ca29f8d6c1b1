/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Misuse of a compiled model is answered with a status and a sentence, and changes nothing.
 * usage: errors DATA_FOLDER */
#include "training.h"

#include <math.h>

static data_set data;
static mlp *model;

/* A call must fail with `expected`, say `sentence` (part of the message) and leave the state as it was. */
static void expect_refused(dlc_status status, dlc_status expected, const char *sentence, const char *what) {
  if (status != expected)
    fail(what, dlc_status_string(status));
  const char *error = mlp_last_error(model);
  if (!strstr(error, sentence))
    fail(what, error);
  check(mlp_save(model, "after.safetensors"), model, "save");
  expect_same_files("before.safetensors", "after.safetensors", what);
  printf("     %s\n", error);
}

static void wrong_labels(void) {
  static int64_t labels[MLP_BATCH];
  static const int64_t bad[] = {10, -1, INT64_MAX, INT64_MIN + 1};
  const float *x = batch_images(&data, 0);
  dlc_metrics metrics;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    memcpy(labels, batch_labels(&data, 0), sizeof labels);
    labels[MLP_BATCH - 1] = bad[i];
    expect_refused(mlp_train_step(model, x, labels, NULL), DLC_INDEX_OUT_OF_RANGE, "position 63",
                   "a label out of range in train_step");
    expect_refused(mlp_grad_step(model, x, labels, NULL), DLC_INDEX_OUT_OF_RANGE, "position 63",
                   "a label out of range in grad_step");
    expect_refused(mlp_eval_step(model, MLP_BATCH, x, labels, &metrics), DLC_INDEX_OUT_OF_RANGE,
                   "position 63", "a label out of range in eval_step");
    /* Rows that are not part of the call are not looked at. */
    check(mlp_eval_step(model, MLP_BATCH - 1, x, labels, &metrics), model, "eval_step of 63 rows");
  }
}

static void wrong_numbers(void) {
  static float images[MLP_BATCH * 784], scores[MLP_BATCH * 10];
  dlc_metrics metrics;
  memcpy(images, batch_images(&data, 0), sizeof images);
  images[784 * 5 + 400] = NAN;
  expect_refused(mlp_train_step(model, images, batch_labels(&data, 0), NULL), DLC_NOT_FINITE, "NaN",
                 "a NaN in the batch");
  expect_refused(mlp_grad_step(model, images, batch_labels(&data, 0), NULL), DLC_NOT_FINITE, "NaN",
                 "a NaN in grad_step's batch");
  expect_refused(mlp_predict(model, MLP_BATCH + 1, images, scores), DLC_INVALID_ARGUMENT, "65 rows",
                 "more rows than a batch");
  expect_refused(mlp_predict(model, 0, images, scores), DLC_INVALID_ARGUMENT, "0 rows", "no rows");
  expect_refused(mlp_eval_step(model, -1, images, batch_labels(&data, 0), &metrics), DLC_INVALID_ARGUMENT,
                 "-1 rows", "a negative number of rows");
  expect_refused(mlp_train_step(model, NULL, batch_labels(&data, 0), NULL), DLC_INVALID_ARGUMENT, "NULL",
                 "no images");
}

static void wrong_names_and_files(void) {
  static float values[10];
  expect_refused(mlp_parameter_read(model, "fc9.weight", values, sizeof values), DLC_NOT_FOUND, "fc9.weight",
                 "a parameter that does not exist");
  expect_refused(mlp_parameter_write(model, "fc3.bias", values, sizeof values - 4), DLC_INVALID_ARGUMENT,
                 "fc3.bias", "a parameter of another size");
  expect_refused(mlp_load(model, "missing.safetensors"), DLC_IO_ERROR, "missing.safetensors",
                 "a missing file");
  FILE *file = fopen("garbage.safetensors", "wb");
  if (!file || fputs("no safetensors file, but long enough to be one", file) < 0 || fclose(file))
    fail("garbage.safetensors", "cannot be written");
  expect_refused(mlp_load(model, "garbage.safetensors"), DLC_BAD_FILE, "garbage.safetensors",
                 "a file of something else");
  /* Half of a checkpoint, as a full disk would leave it. */
  size_t bytes;
  char *content = read_file("before.safetensors", &bytes);
  file = fopen("half.safetensors", "wb");
  if (!file || fwrite(content, 1, bytes / 2, file) != bytes / 2 || fclose(file))
    fail("half.safetensors", "cannot be written");
  free(content);
  expect_refused(mlp_load(model, "half.safetensors"), DLC_BAD_FILE, "half.safetensors", "half a checkpoint");
  expect_refused(mlp_save(model, "missing/folder/file"), DLC_IO_ERROR, "missing/folder/file",
                 "a folder that does not exist");
}

/* A safetensors file of one float32 tensor of zeros. */
static void write_tensor(const char *path, const char *name, int elements) {
  static const float zeros[256];
  char header[256];
  uint64_t length = (uint64_t)snprintf(header, sizeof header,
                                       "{\"%s\":{\"dtype\":\"F32\",\"shape\":[%d],\"data_offsets\":[0,%d]}}",
                                       name, elements, elements * 4);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(&length, sizeof length, 1, file) != 1 || fputs(header, file) < 0 ||
      fwrite(zeros, sizeof *zeros, (size_t)elements, file) != (size_t)elements || fclose(file))
    fail(path, "cannot be written");
}

/* A checkpoint of this model in which the first value of fc3.bias is a NaN. */
static void write_nan_checkpoint(const char *path) {
  size_t bytes;
  char *content = read_file("before.safetensors", &bytes);
  uint64_t header;
  memcpy(&header, content, sizeof header);
  content[bytes] = 0;
  const char *offsets = strstr(content + sizeof header, "\"fc3.bias\"");
  offsets = offsets ? strstr(offsets, "\"data_offsets\":[") : NULL;
  if (!offsets)
    fail(path, "the checkpoint has no fc3.bias");
  const float nan = NAN;
  memcpy(content + sizeof header + header + strtoull(strchr(offsets, '[') + 1, NULL, 10), &nan, sizeof nan);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(content, 1, bytes, file) != bytes || fclose(file))
    fail(path, "cannot be written");
  free(content);
}

static void wrong_weights(void) {
  write_tensor("size.safetensors", "fc1.bias", 2);
  expect_refused(mlp_load(model, "size.safetensors"), DLC_BAD_FILE,
                 "'fc1.bias' is F32 [2], expected F32 [256]", "a tensor of another size");
  write_tensor("other.safetensors", "conv1.bias", 256);
  expect_refused(mlp_load(model, "other.safetensors"), DLC_BAD_FILE,
                 "a weights file of another model: mlp has no tensor 'conv1.bias'",
                 "weights of another model");
  write_tensor("part.safetensors", "fc1.bias", 256);
  expect_refused(mlp_load(model, "part.safetensors"), DLC_BAD_FILE, "lacks 5 tensors of mlp: 'fc1.weight'",
                 "a part of the weights");
  write_nan_checkpoint("nan.safetensors");
  expect_refused(mlp_load(model, "nan.safetensors"), DLC_NOT_FINITE,
                 "'fc3.bias' has a NaN or infinite value at position 0", "a checkpoint with a NaN");
}

static void expect_no_model(dlc_status status, dlc_status expected, const mlp *created, const char *error,
                            const char *sentence, const char *what) {
  if (status != expected || created || !strstr(error, sentence)) {
    fprintf(stderr, "%s: %s\n", dlc_status_string(status), error);
    fail(what, "the wrong answer");
  }
  printf("ok   %s\n     %s\n", what, error);
}

static void wrong_creation(void) {
  mlp *created;
  char error[512] = "";
  dlc_create_options options = {.struct_size = sizeof options, .error = error, .error_bytes = sizeof error};
  options.weights_path = "other.safetensors";
  expect_no_model(mlp_create(&options, &created), DLC_BAD_FILE, created, error, "another model",
                  "initial weights of another model");
  options.weights_path = "nan.safetensors";
  options.check_finite = 1;
  expect_no_model(mlp_create(&options, &created), DLC_NOT_FINITE, created, error, "NaN",
                  "initial weights with a NaN");
  options.check_finite = 0;
  check(mlp_create(&options, &created), NULL, "initial weights with a NaN that are taken");
  if (!strstr(mlp_last_remark(created), "'fc3.bias' at position 0"))
    fail("the remark on a NaN", mlp_last_remark(created));
  mlp_destroy(created);
  options.weights_path = NULL;
  expect_no_model(mlp_create_checked(MLP_ABI_VERSION + 1, 0, &options, &created), DLC_ABI_MISMATCH, created,
                  error, "ABI version", "a header of another ABI");
  expect_no_model(mlp_create_checked(MLP_ABI_VERSION, 0, &options, &created), DLC_ABI_MISMATCH, created,
                  error, "fingerprint", "a header of another model");

  char *memory = malloc(MLP_ARENA_BYTES + 128);
  if (!memory)
    fail("malloc", "no memory");
  char *aligned = memory + (64 - (size_t)memory % 64) % 64;
  options.arena = aligned + 32;
  options.arena_bytes = MLP_ARENA_BYTES;
  expect_no_model(mlp_create(&options, &created), DLC_INVALID_ARGUMENT, created, error, "aligned",
                  "a misaligned arena");
  options.arena = aligned;
  options.arena_bytes = MLP_ARENA_BYTES - 1;
  expect_no_model(mlp_create(&options, &created), DLC_INVALID_ARGUMENT, created, error, "at least",
                  "a small arena");
  options.arena_bytes = MLP_ARENA_BYTES;
  check(mlp_create(&options, &created), NULL, "a model in the caller's arena");
  train(created, &data, 0, 3);
  mlp_destroy(created);
  free(memory);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  data = read_data(argv[1]);
  dlc_create_options options = {.struct_size = sizeof options, .threads = 2, .check_finite = 1};
  check(mlp_create(&options, &model), NULL, "mlp_create");
  train(model, &data, 0, 3);
  check(mlp_save(model, "before.safetensors"), model, "save");
  wrong_labels();
  wrong_numbers();
  wrong_names_and_files();
  wrong_weights();
  wrong_creation();
  train(model, &data, 3, 5); /* still works */
  mlp_destroy(model);
  free_data(&data);
  return 0;
}
