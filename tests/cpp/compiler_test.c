/*===-- compiler_test.c - the compiler as a C library ------------------------===
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: compiler_test MODEL.onnx
 *
 * From a C program: a model in memory is compiled, trained and made into files; what is wrong comes back as
 * text.
 *===----------------------------------------------------------------------===*/
#include "dlc/compiler.h"
#include "dlc/runtime.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

typedef int32_t (*train_step)(void *, const float *, const int64_t *, float *);
typedef void (*destroy)(void *);

static char model[1 << 20];
static size_t model_bytes;
static const char *options[] = {"--batch=8", "--loss=softmax-cross-entropy", "--lr", "0.5"};

static dlc_compile_request request(void) {
  dlc_compile_request result = {sizeof result, "two_layers.onnx", model, model_bytes, options, 4};
  return result;
}

static void trains(void) {
  dlc_compile_request asked = request();
  dlc_compiled *compiled = NULL;
  CHECK(dlc_compile(&asked, &compiled) == DLC_OK && compiled);
  memset(model, 0, sizeof model); /* the caller's memory is not needed any more */
  CHECK(strcmp(dlc_compiled_error(compiled), "") == 0);
  CHECK(strstr(dlc_compiled_manifest(compiled), "\"name\": \"two_layers\""));
  CHECK(dlc_compiled_file_count(compiled) == 0);
  CHECK(!dlc_compiled_function(compiled, "two_layers_create") &&
        !dlc_compiled_function(compiled, "two_layers_none"));
  CHECK(!dlc_compiled_function(compiled, "malloc") && !dlc_compiled_function(compiled, ""));
  train_step step = (train_step)(uintptr_t)dlc_compiled_function(compiled, "two_layers_train_step");
  destroy end = (destroy)(uintptr_t)dlc_compiled_function(compiled, "two_layers_destroy");
  CHECK(step && end);

  char error[200] = "";
  dlc_create_options create = {sizeof create, "/no/such/file", 0,   0, 1, NULL, 0, 0, 0,
                               error,         sizeof error,    NULL};
  void *instance = &create;
  CHECK(dlc_compiled_create(compiled, &create, &instance) == DLC_IO_ERROR && !instance);
  CHECK(strstr(error, "/no/such/file"));
  CHECK(dlc_compiled_create(compiled, NULL, &instance) == DLC_OK && instance);
  float image[8 * 16], first = 0, last = 0;
  int64_t labels[8];
  for (int i = 0; i < 8 * 16; ++i)
    image[i] = sinf((float)i);
  for (int i = 0; i < 8; ++i)
    labels[i] = i;
  CHECK(step(instance, image, labels, &first) == DLC_OK && first > 0);
  for (int i = 0; i < 20; ++i)
    CHECK(step(instance, image, labels, &last) == DLC_OK);
  CHECK(last < first);
  labels[3] = 10;
  CHECK(step(instance, image, labels, &last) == DLC_INDEX_OUT_OF_RANGE);
  end(instance);
  dlc_compiled_destroy(compiled);
}

static void makes_files(void) {
  dlc_compile_request asked = request();
  dlc_compiled *compiled = NULL;
  CHECK(dlc_compile_files(&asked, &compiled) == DLC_OK);
  const char *names[] = {"libtwo_layers.a", "two_layers.h", "two_layers.safetensors", "two_layers.json"};
  CHECK(dlc_compiled_file_count(compiled) == 4);
  dlc_file file;
  for (size_t i = 0; i < 4; ++i) {
    CHECK(dlc_compiled_file(compiled, i, &file) == DLC_OK && file.bytes > 100);
    CHECK(strcmp(file.name, names[i]) == 0);
  }
  CHECK(dlc_compiled_file(compiled, 4, &file) == DLC_INVALID_ARGUMENT && !file.name);
  void *instance = &file;
  CHECK(dlc_compiled_create(compiled, NULL, &instance) == DLC_UNAVAILABLE && !instance);
  CHECK(!dlc_compiled_function(compiled, "two_layers_train_step"));
  dlc_compiled_destroy(compiled);
}

/* Compiles with one more option; the errors must have `text`. */
static void fails(const char *option, const char *text) {
  const char *more[] = {options[0], options[1], option};
  dlc_compile_request asked = request();
  asked.options = more;
  asked.option_count = 3;
  dlc_compiled *compiled = NULL;
  CHECK(dlc_compile(&asked, &compiled) == DLC_BAD_FILE && compiled);
  if (!strstr(dlc_compiled_error(compiled), text)) {
    fprintf(stderr, "expected '%s', got '%s'\n", text, dlc_compiled_error(compiled));
    exit(1);
  }
  dlc_message message;
  CHECK(dlc_compiled_message_count(compiled) >= 1);
  CHECK(dlc_compiled_message(compiled, 0, &message) == DLC_OK && message.severity == DLC_ERROR);
  CHECK(dlc_compiled_message(compiled, dlc_compiled_message_count(compiled), &message) ==
        DLC_INVALID_ARGUMENT);
  CHECK(strcmp(dlc_compiled_manifest(compiled), "") == 0);
  dlc_compiled_destroy(compiled);
}

static void says_what_is_wrong(void) {
  fails("--los=mse", "compile has no option '--los'; did you mean '--loss'?");
  fails("--momentum=x", "--momentum");
  fails("--delta=2", "--delta has no effect without --loss=huber");
  fails("--", "'--' is no option");
  fails("other.onnx", "'other.onnx' is no option");
  fails("--verify", "--verify prints");
  fails("--emit=shared", "--emit has no effect on code for this process");
  fails("-o=out", "--output is for the command");
  fails("--help", "--help and --version are for the command dlc");
  fails("--triple=aarch64-linux-gnu", "is not this machine");

  dlc_compile_request asked = request();
  dlc_compiled *compiled = NULL;
  asked.model = "nonsense";
  asked.model_bytes = 8;
  CHECK(dlc_check(&asked, &compiled) == DLC_BAD_FILE);
  CHECK(strcmp(dlc_compiled_error(compiled),
               "two_layers.onnx: not an ONNX model: the file is damaged, cut off or of "
               "another format") == 0);
  dlc_compiled_destroy(compiled);
  for (size_t bytes = 0; bytes < model_bytes; bytes += 97) { /* cut off anywhere */
    asked = request();
    asked.model_bytes = bytes;
    CHECK(dlc_check(&asked, &compiled) == DLC_BAD_FILE && dlc_compiled_error(compiled)[0]);
    dlc_compiled_destroy(compiled);
  }
}

static void refuses_what_is_no_request(void) {
  dlc_compiled *compiled = (dlc_compiled *)model;
  CHECK(dlc_compile(NULL, &compiled) == DLC_INVALID_ARGUMENT && !compiled);
  dlc_compile_request asked = request();
  CHECK(dlc_compile(&asked, NULL) == DLC_INVALID_ARGUMENT);
  asked.struct_size = 4;
  CHECK(dlc_compile(&asked, &compiled) == DLC_INVALID_ARGUMENT);
  asked = request();
  asked.file = NULL;
  CHECK(dlc_compile(&asked, &compiled) == DLC_INVALID_ARGUMENT);
  asked = request();
  asked.options = NULL;
  CHECK(dlc_compile(&asked, &compiled) == DLC_INVALID_ARGUMENT);
  const char *none[] = {NULL};
  asked.options = none;
  asked.option_count = 1;
  CHECK(dlc_compile(&asked, &compiled) == DLC_INVALID_ARGUMENT);
  asked = request();
  asked.model = NULL;
  CHECK(dlc_compile(&asked, &compiled) == DLC_INVALID_ARGUMENT);
  dlc_compiled_destroy(NULL);
  CHECK(strcmp(dlc_compiled_error(NULL), "") == 0 && dlc_compiled_message_count(NULL) == 0);
  CHECK(dlc_compiled_function(NULL, "x") == NULL && dlc_compiled_file_count(NULL) == 0);
  CHECK(dlc_compiled_create(NULL, NULL, NULL) == DLC_INVALID_ARGUMENT);
}

static void hands_out_the_runtime(void) {
  const float predictions[] = {1, 2, 3}, targets[] = {1, 2, 5};
  double (*error)(const float *, const float *, int64_t) = (double (*)(
      const float *, const float *, int64_t))(uintptr_t)dlc_runtime_function("dlc_mean_absolute_error");
  CHECK(error && fabs(error(predictions, targets, 3) - 2.0 / 3) < 1e-12);
  CHECK(dlc_runtime_function("dlc_loader_next") && dlc_runtime_function("dlc_events_open"));
  CHECK(dlc_runtime_function("dlc_auc2") == NULL && dlc_runtime_function("") == NULL &&
        dlc_runtime_function(NULL) == NULL);
}

static void read_model(const char *path) {
  FILE *file = fopen(path, "rb");
  CHECK(file);
  model_bytes = fread(model, 1, sizeof model, file);
  fclose(file);
  CHECK(model_bytes > 0 && model_bytes < sizeof model);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  CHECK(dlc_compiler_version()[0] && dlc_compiler_abi_version() > 0);
  read_model(argv[1]);
  refuses_what_is_no_request();
  makes_files();
  says_what_is_wrong();
  trains();
  hands_out_the_runtime();
  return 0;
}
