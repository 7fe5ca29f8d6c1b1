/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A step allocates nothing: counts calls of the C library's allocator, in all threads, between two points.
 * Defining the allocator's functions in a program replaces them everywhere, so this one runs on glibc only
 * and without sanitizers, which do the same. usage: allocation DATA_FOLDER */
#include "training.h"

#include <errno.h>
#include <stdatomic.h>

static atomic_long allocations;

/* glibc's own names of the functions that are replaced below. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

void *malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void *realloc(void *memory, size_t bytes) {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
void *memalign(size_t alignment, size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void **out, size_t alignment, size_t bytes) {
  *out = memalign(alignment, bytes);
  return *out ? 0 : ENOMEM;
}
void free(void *memory) { __libc_free(memory); }

static void expect_none(long before, const char *what) {
  if (allocations != before) {
    fprintf(stderr, "FAIL %s: %ld allocations\n", what, allocations - before);
    exit(1);
  }
}

static void run_all_calls(mlp *model, const data_set *data) {
  static float scores[MLP_BATCH * 10];
  float loss;
  dlc_metrics metrics;
  for (int64_t step = 0; step < 20; ++step) {
    const float *x = batch_images(data, step);
    const int64_t *labels = batch_labels(data, step);
    long before = allocations;
    check(mlp_train_step(model, x, labels, &loss), model, "train_step");
    expect_none(before, "train_step");
    check(mlp_grad_step(model, x, labels, &loss), model, "grad_step");
    expect_none(before, "grad_step");
    check(mlp_accumulate(model, x, labels, NULL), model, "accumulate");
    expect_none(before, "accumulate");
    check(mlp_apply(model), model, "apply");
    expect_none(before, "apply");
    check(mlp_eval_step(model, MLP_BATCH - step, x, labels, &metrics), model, "eval_step");
    expect_none(before, "eval_step");
    check(mlp_predict(model, 1 + step, x, scores), model, "predict");
    expect_none(before, "predict");
    check(mlp_set_learning_rate(model, 1e-3 / (double)(step + 1)), model, "set_learning_rate");
    expect_none(before, "set_learning_rate");
  }
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  long before = allocations;
  data_set data = read_data(argv[1]);
  if (allocations == before)
    fail("the count", "reading a file allocates nothing: the allocator was not replaced");
  for (int32_t threads = 1; threads <= 2; ++threads)
    for (int32_t check_finite = 0; check_finite <= 1; ++check_finite) {
      mlp *model;
      dlc_create_options options = {
          .struct_size = sizeof options, .threads = threads, .check_finite = check_finite};
      check(mlp_create(&options, &model), NULL, "mlp_create");
      run_all_calls(model, &data);
      mlp_destroy(model);
      printf("ok   %d threads, check_finite %d: no allocation\n", (int)threads, (int)check_finite);
    }
  free_data(&data);
  return 0;
}
