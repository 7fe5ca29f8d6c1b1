/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The scale of the loss: one that is a power of two changes no bit of what is trained in float32; one that
 * adjusts itself skips steps whose gradients are infinite, and grows again. usage: loss_scale DATA_FOLDER */
#include "mlp_plain.h"
#include "mlp_scaled.h"
#include "training.h"

#include <math.h>

enum { rows = 256, columns = 784, growth_interval = 2000 };
static const char *const weight = "fc1.weight";
static float before[rows * columns], after[rows * columns];

static void expect(int truth, const char *what) {
  if (!truth)
    fail(what, "is not so");
  printf("ok   %s\n", what);
}

static double scale_of(mlp *model) {
  double scale = 0;
  check(mlp_get_loss_scale(model, &scale), model, "get_loss_scale");
  return scale;
}

static void read_weight(mlp *model, float *out) {
  check(mlp_parameter_read(model, weight, out, sizeof before), model, "parameter_read");
}

static void fixed_scale(const data_set *data) {
  mlp_plain *plain;
  mlp_scaled *scaled;
  dlc_create_options options = {.struct_size = sizeof options, .seed = 7, .use_seed = 1};
  if (mlp_plain_create(&options, &plain) != DLC_OK || mlp_scaled_create(&options, &scaled) != DLC_OK)
    fail("create", "models of float32");
  double scale = 0;
  expect(mlp_scaled_get_loss_scale(scaled, &scale) == DLC_OK && scale == 1024,
         "the scale is what was asked for");
  for (int64_t step = 0; step < 12; ++step) {
    const float *x = batch_images(data, step);
    const int64_t *labels = batch_labels(data, step);
    float losses[2];
    if (step == 6 && mlp_scaled_set_loss_scale(scaled, 0.25) != DLC_OK)
      fail("set_loss_scale", mlp_scaled_last_error(scaled));
    if (mlp_plain_train_step(plain, x, labels, &losses[0]) != DLC_OK ||
        mlp_scaled_train_step(scaled, x, labels, &losses[1]) != DLC_OK || losses[0] != losses[1])
      fail("train_step", "the losses differ");
  }
  if (mlp_plain_parameter_read(plain, weight, before, sizeof before) != DLC_OK ||
      mlp_scaled_parameter_read(scaled, weight, after, sizeof after) != DLC_OK)
    fail("parameter_read", weight);
  expect(!memcmp(before, after, sizeof before), "powers of two change no bit");
  expect(mlp_scaled_set_loss_scale(scaled, 0) == DLC_INVALID_ARGUMENT &&
             mlp_scaled_set_loss_scale(scaled, INFINITY) == DLC_INVALID_ARGUMENT,
         "0 and infinity are refused");
  mlp_plain_destroy(plain);
  mlp_scaled_destroy(scaled);
}

/* A step by gradients that are infinite leaves everything but the scale as it was. */
static void skipped_steps(const data_set *data) {
  const double largest = 0x1p100;
  mlp *model = create(2), *halves = create(1);
  expect(scale_of(model) == 65536, "fp16 has a scale that adjusts itself");
  train(model, data, 0, 3);
  train(halves, data, 0, 3);
  int64_t steps = mlp_step_count(model);
  double scale = scale_of(model);
  expect(steps > 0 && steps <= 3 && scale == ldexp(65536, (int)steps - 3), "each skipped step has halved it");
  check(mlp_save(model, "before.safetensors"), model, "save");
  check(mlp_set_loss_scale(model, largest), model, "set_loss_scale");
  check(mlp_set_loss_scale(halves, largest), halves, "set_loss_scale");
  read_weight(model, before);
  float loss = 0;
  check(mlp_train_step(model, batch_images(data, 3), batch_labels(data, 3), &loss), model, "train_step");
  read_weight(model, after);
  expect(!memcmp(before, after, sizeof before) && mlp_step_count(model) == steps && isfinite(loss),
         "a step with infinite gradients changes nothing");
  expect(scale_of(model) == largest / 2, "but the scale, which is halved");
  check(mlp_grad_step(halves, batch_images(data, 3), batch_labels(data, 3), &loss), halves, "grad_step");
  check(mlp_apply(halves), halves, "apply");
  check(mlp_set_loss_scale(model, scale), model, "set_loss_scale");
  check(mlp_set_loss_scale(halves, scale), halves, "set_loss_scale");
  check(mlp_save(model, "skipped.safetensors"), model, "save");
  check(mlp_save(halves, "halves.safetensors"), halves, "save");
  expect_same_files("skipped.safetensors", "halves.safetensors", "apply skips as train_step does");

  check(mlp_set_loss_scale(model, largest), model, "set_loss_scale");
  int64_t tries = 0;
  while (mlp_step_count(model) == steps && tries < 200)
    train(model, data, 3 + tries, 4 + tries), ++tries;
  expect(mlp_step_count(model) == steps + 1 && scale_of(model) == ldexp(largest, 1 - (int)tries),
         "training goes on once the scale is small enough");
  check(mlp_load(model, "before.safetensors"), model, "load");
  expect(scale_of(model) == scale, "the scale is in checkpoints");
  mlp_destroy(model);
  mlp_destroy(halves);
}

/* Where steps are checked: what a call has refused leaves the scale as well, and gradients are looked at
 * before `apply` could skip them. */
static void checked_steps(const data_set *data) {
  const double largest = 0x1p100;
  mlp *model;
  dlc_create_options options = {.struct_size = sizeof options, .check_finite = 1};
  check(mlp_create(&options, &model), NULL, "mlp_create");
  check(mlp_set_loss_scale(model, largest), model, "set_loss_scale");
  const float *x = batch_images(data, 0);
  const int64_t *labels = batch_labels(data, 0);
  expect(mlp_grad_step(model, x, labels, NULL) == DLC_NOT_FINITE, "grad_step refuses infinite gradients");
  check(mlp_train_step(model, x, labels, NULL), model, "train_step");
  expect(scale_of(model) == largest / 2 && mlp_step_count(model) == 0, "train_step skips them");
  static float none[MLP_BATCH * columns];
  memcpy(none, x, sizeof none);
  none[0] = NAN;
  expect(mlp_train_step(model, none, labels, NULL) == DLC_NOT_FINITE && scale_of(model) == largest / 2,
         "a step that is refused leaves the scale");
  mlp_destroy(model);
}

/* After so many steps in a row it doubles; where the count stands is in checkpoints. */
static void growing_scale(const data_set *data) {
  mlp *model = create(2), *other = create(2);
  check(mlp_set_loss_scale(model, 4), model, "set_loss_scale");
  check(mlp_set_learning_rate(model, 1e-5), model, "set_learning_rate");
  train(model, data, 0, growth_interval - 1);
  expect(mlp_step_count(model) == growth_interval - 1 && scale_of(model) == 4, "it stays for some time");
  check(mlp_save(model, "growing.safetensors"), model, "save");
  check(mlp_load(other, "growing.safetensors"), other, "load");
  train(other, data, 0, 1);
  expect(scale_of(other) == 8, "then it doubles, after a resumption, too");
  train(other, data, 0, 1);
  expect(scale_of(other) == 8, "and stays again");
  mlp_destroy(model);
  mlp_destroy(other);
}

int main(int argc, char **argv) {
  if (argc != 2)
    fail("loss_scale", "usage: loss_scale DATA_FOLDER");
  data_set data = read_data(argv[1]);
  fixed_scale(&data);
  skipped_steps(&data);
  checked_steps(&data);
  growing_scale(&data);
  free_data(&data);
  return 0;
}
