/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Groups of parameters: their numbers are set while the program runs and kept in files, and a factor of 0
 * freezes a group. fc1 and fc2 are group 1, fc3 is not. usage: groups DATA_FOLDER */
#include "training.h"

enum { steps = 20 };

/* Parameters and moments of a layer. */
typedef struct layer {
  float weight[256 * 128], moment[256 * 128], square[256 * 128];
} layer;

static void read_layer(mlp *model, const char *weight, size_t count, layer *out) {
  char name[64];
  check(mlp_parameter_read(model, weight, out->weight, count * sizeof(float)), model, weight);
  snprintf(name, sizeof name, "%s.exp_avg", weight);
  check(mlp_parameter_read(model, name, out->moment, count * sizeof(float)), model, name);
  snprintf(name, sizeof name, "%s.exp_avg_sq", weight);
  check(mlp_parameter_read(model, name, out->square, count * sizeof(float)), model, name);
}

static void expect(int truth, const char *what) {
  if (!truth)
    fail(what, "is not so");
  printf("ok   %s\n", what);
}

/* Some steps, whose middle third has group 1 frozen; by train_step, or by its two halves. */
static void run(const data_set *data, int32_t threads, int split, const char *path) {
  mlp *model = create(threads);
  for (int64_t step = 0; step < steps; ++step) {
    int frozen = step >= steps / 3 && step < 2 * steps / 3;
    check(mlp_set_group1_lr_scale(model, frozen ? 0 : 0.25), model, "set_group1_lr_scale");
    if (split) {
      check(mlp_grad_step(model, batch_images(data, step), batch_labels(data, step), NULL), model,
            "grad_step");
      check(mlp_apply(model), model, "apply");
    } else {
      train(model, data, step, step + 1);
    }
  }
  check(mlp_save(model, path), model, "save");
  mlp_destroy(model);
}

static void freezes(const data_set *data) {
  static layer before, after;
  mlp *model = create(1);
  train(model, data, 0, 3);
  check(mlp_set_group1_lr_scale(model, 0), model, "set_group1_lr_scale");
  read_layer(model, "fc2.weight", 128 * 256, &before);
  train(model, data, 3, 6);
  read_layer(model, "fc2.weight", 128 * 256, &after);
  expect(!memcmp(&before, &after, sizeof before), "a frozen group keeps its parameters and moments");
  check(mlp_set_group1_lr_scale(model, 1), model, "set_group1_lr_scale");
  train(model, data, 6, 7);
  read_layer(model, "fc2.weight", 128 * 256, &after);
  expect(memcmp(before.weight, after.weight, sizeof before.weight) &&
             memcmp(before.moment, after.moment, sizeof before.moment),
         "a group that is frozen no more learns again");
  memset(&before, 0, sizeof before);
  memset(&after, 0, sizeof after);
  check(mlp_set_group1_lr_scale(model, 0), model, "set_group1_lr_scale");
  read_layer(model, "fc3.weight", 10 * 128, &before);
  train(model, data, 7, 8);
  read_layer(model, "fc3.weight", 10 * 128, &after);
  expect(memcmp(before.weight, after.weight, sizeof before.weight), "the other parameters learn meanwhile");
  mlp_destroy(model);
}

static void keeps_numbers_in_files(void) {
  double scale = 0, beta = 0;
  mlp *model = create(1);
  expect(mlp_set_group1_lr_scale(model, -1) == DLC_INVALID_ARGUMENT &&
             mlp_set_group1_beta1(model, 1) == DLC_INVALID_ARGUMENT,
         "numbers out of range are refused");
  check(mlp_get_group1_lr_scale(model, &scale), model, "get_group1_lr_scale");
  expect(scale == 0.5, "a group begins with what it was compiled with");
  check(mlp_set_group1_lr_scale(model, 3), model, "set_group1_lr_scale");
  check(mlp_save(model, "numbers.safetensors"), model, "save");
  mlp_destroy(model);
  model = create(1);
  check(mlp_load(model, "numbers.safetensors"), model, "load");
  check(mlp_get_group1_lr_scale(model, &scale), model, "get_group1_lr_scale");
  check(mlp_get_group1_beta1(model, &beta), model, "get_group1_beta1");
  expect(scale == 3 && beta == 0.8, "files keep a group's numbers");
  mlp_destroy(model);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  data_set data = read_data(argv[1]);
  run(&data, 1, 0, "whole.safetensors");
  run(&data, 1, 1, "halves.safetensors");
  run(&data, 3, 0, "threads.safetensors");
  expect_same_files("whole.safetensors", "halves.safetensors", "train_step is grad_step and apply");
  expect_same_files("whole.safetensors", "threads.safetensors", "one thread or three");
  freezes(&data);
  keeps_numbers_in_files();
  free_data(&data);
  return 0;
}
