/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The same bits, whatever the number of threads and whichever way a step is called: trains with dropout,
 * saves the whole state, compares the files. usage: reproducible DATA_FOLDER */
#include "training.h"

/* An emulated machine does fewer (tests/cross). */
#ifndef STEPS
#define STEPS 2000
#define HALVES 300
#endif
enum { steps = STEPS, halves = HALVES };

static void run(const data_set *data, int32_t threads, const char *path) {
  mlp *model = create(threads);
  train(model, data, 0, steps);
  check(mlp_save(model, path), model, "save");
  mlp_destroy(model);
}

/* The first steps by train_step, or by grad_step and apply. */
static void run_halves(const data_set *data, int split, const char *path) {
  mlp *model = create(1);
  for (int64_t step = 0; step < halves; ++step) {
    const float *x = batch_images(data, step);
    const int64_t *labels = batch_labels(data, step);
    if (split) {
      check(mlp_grad_step(model, x, labels, NULL), model, "grad_step");
      check(mlp_apply(model), model, "apply");
    } else {
      check(mlp_train_step(model, x, labels, NULL), model, "train_step");
    }
  }
  check(mlp_save(model, path), model, "save");
  mlp_destroy(model);
}

/* The same batch with the same dropout masks twice: exactly twice the gradient. */
static void accumulate_adds(const data_set *data) {
  static float once[128 * 256], again[128 * 256];
  mlp *model = create(1);
  const char *name = "fc2.weight";
  check(mlp_grad_step(model, batch_images(data, 0), batch_labels(data, 0), NULL), model, "grad_step");
  check(mlp_gradient_read(model, name, once, sizeof once), model, "gradient_read");
  check(mlp_set_seed(model, 7), model, "set_seed"); /* starts the random numbers again */
  check(mlp_accumulate(model, batch_images(data, 0), batch_labels(data, 0), NULL), model, "accumulate");
  check(mlp_gradient_read(model, name, again, sizeof again), model, "gradient_read");
  double largest = 0;
  for (size_t i = 0; i < sizeof once / sizeof *once; ++i) {
    if (again[i] != 2 * once[i])
      fail("accumulate", "is not the sum of two equal gradients");
    if (once[i] > largest)
      largest = once[i];
  }
  if (largest == 0)
    fail("accumulate", "the gradient is zero");
  printf("ok   accumulate adds to the gradients of grad_step\n");
  mlp_destroy(model);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  data_set data = read_data(argv[1]);
  run(&data, 1, "one.safetensors");
  run(&data, 1, "again.safetensors");
  run(&data, 2, "two.safetensors");
  run(&data, 3, "three.safetensors");
  expect_same_files("one.safetensors", "again.safetensors", "two runs with dropout");
  expect_same_files("one.safetensors", "two.safetensors", "1 and 2 threads");
  expect_same_files("one.safetensors", "three.safetensors", "1 and 3 threads");

  run_halves(&data, 0, "whole.safetensors");
  run_halves(&data, 1, "halves.safetensors");
  expect_same_files("whole.safetensors", "halves.safetensors", "train_step and grad_step + apply");
  if (same_files("whole.safetensors", "one.safetensors"))
    fail("the comparison", "fewer steps and more give the same state");

  accumulate_adds(&data);
  free_data(&data);
  return 0;
}
