/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Moving averages of the parameters, gradients that are averaged over batches, written by the program, and
 * their norm, in a model that clips them. usage: averages DATA_FOLDER */
#include "training.h"

#include <math.h>

enum { steps = 12, count = 10 * 128 };
static const char *const parameters[] = {"fc1.weight", "fc1.bias",   "fc2.weight",
                                         "fc2.bias",   "fc3.weight", "fc3.bias"};
static const size_t sizes[] = {256 * 784, 256, 128 * 256, 128, 10 * 128, 10};
static float gradient[256 * 784];

static void expect(int truth, const char *what) {
  if (!truth)
    fail(what, "is not so");
  printf("ok   %s\n", what);
}

static void read_last(mlp *model, float *out) {
  check(mlp_parameter_read(model, "fc3.weight", out, count * sizeof *out), model, "parameter_read");
}

/* The averages are those of the parameters after each step; they take the parameters' places and leave them
 * again. */
static void averages(const data_set *data) {
  static float now[count], again[count], scores[64 * 10], loaded[64 * 10];
  static double average[count];
  mlp *model = create(2), *other;
  expect(mlp_use_average(model, 1) == DLC_UNAVAILABLE, "there is no average before the first step");
  for (int64_t step = 0; step < steps; ++step) {
    train(model, data, step, step + 1);
    read_last(model, now);
    for (int i = 0; i < count; ++i)
      average[i] = step ? 0.9 * average[i] + 0.1 * (double)now[i] : (double)now[i];
  }
  check(mlp_use_average(model, 1), model, "use_average");
  check(mlp_use_average(model, 1), model, "use_average twice");
  read_last(model, again);
  double worst = 0;
  for (int i = 0; i < count; ++i)
    worst = fmax(worst, fabs((double)again[i] - average[i]));
  expect(worst < 1e-7 && memcmp(now, again, sizeof now), "parameter_read gives the averages");

  const float *x = batch_images(data, 0);
  const int64_t *labels = batch_labels(data, 0);
  expect(mlp_train_step(model, x, labels, NULL) == DLC_UNAVAILABLE && mlp_apply(model) == DLC_UNAVAILABLE &&
             mlp_save(model, "never.safetensors") == DLC_UNAVAILABLE &&
             mlp_load(model, "never.safetensors") == DLC_UNAVAILABLE,
         "what trains, saves or loads waits for the parameters");
  expect(strstr(mlp_last_error(model), "use_average") != NULL, "the sentence says what to do");
  size_t bytes;
  expect(mlp_save_to_memory(model, NULL, 0, &bytes) == DLC_UNAVAILABLE && bytes == 0 &&
             mlp_load_from_memory(model, "", 0) == DLC_UNAVAILABLE,
         "memory is no way around it");
  other = create(1);
  expect(mlp_copy_state(other, model) == DLC_UNAVAILABLE && strstr(mlp_last_error(other), "copied from"),
         "averages are not copied for parameters");
  expect(mlp_copy_state(model, other) == DLC_UNAVAILABLE && strstr(mlp_last_error(model), "copied to"),
         "nor written over");
  mlp_destroy(other);
  check(mlp_predict(model, 64, x, scores), model, "predict");
  check(mlp_save_weights(model, "average.safetensors"), model, "save_weights");
  check(mlp_use_average(model, 0), model, "use_average");
  read_last(model, again);
  expect(!memcmp(now, again, sizeof now), "the parameters come back with the same bits");
  other = create(1);
  check(mlp_load(other, "average.safetensors"), other, "load");
  check(mlp_predict(other, 64, x, loaded), other, "predict");
  expect(!memcmp(scores, loaded, sizeof scores), "saved averages predict alike");
  check(mlp_copy_state(other, model), other, "copy_state");
  check(mlp_use_average(other, 1), other, "use_average");
  check(mlp_predict(other, 64, x, loaded), other, "predict");
  expect(!memcmp(scores, loaded, sizeof scores), "averages are copied with the state");
  mlp_destroy(other);
  mlp_destroy(model);
}

static void resumes(const data_set *data) {
  mlp *whole = create(1), *resumed = create(3);
  train(whole, data, 0, steps / 2);
  check(mlp_save(whole, "half.safetensors"), whole, "save");
  check(mlp_load(resumed, "half.safetensors"), resumed, "load");
  train(whole, data, steps / 2, steps);
  train(resumed, data, steps / 2, steps);
  check(mlp_save(whole, "whole.safetensors"), whole, "save");
  check(mlp_save(resumed, "resumed.safetensors"), resumed, "save");
  expect_same_files("whole.safetensors", "resumed.safetensors", "averages are saved and go on");
  mlp_destroy(whole);
  mlp_destroy(resumed);
}

/* A batch, or the same batch three times, of which apply takes the mean: with the same dropout the same
 * gradient. */
static void accumulates_means(const data_set *data) {
  for (int times = 1; times <= 4; times += 3) {
    mlp *model = create(1);
    for (int i = 0; i < times; ++i) {
      check(mlp_set_seed(model, 5), model, "set_seed");
      check((i ? mlp_accumulate : mlp_grad_step)(model, batch_images(data, 0), batch_labels(data, 0), NULL),
            model, "gradients");
    }
    check(mlp_apply(model), model, "apply");
    check(mlp_save(model, times == 1 ? "once.safetensors" : "mean.safetensors"), model, "save");
    mlp_destroy(model);
  }
  expect_same_files("once.safetensors", "mean.safetensors", "the mean of a batch four times is the batch");
}

static double norm_of_gradients(mlp *model) {
  double squares = 0;
  for (int p = 0; p < 6; ++p) {
    check(mlp_gradient_read(model, parameters[p], gradient, sizes[p] * sizeof(float)), model,
          "gradient_read");
    for (size_t i = 0; i < sizes[p]; ++i)
      squares += (double)gradient[i] * (double)gradient[i];
  }
  return sqrt(squares);
}

static void norms(const data_set *data) {
  double norm = 0, expected, doubled = 0;
  mlp *model = create(1);
  expect(mlp_grad_norm(model, &norm) == DLC_UNAVAILABLE, "there is no norm before the first step");
  check(mlp_grad_step(model, batch_images(data, 0), batch_labels(data, 0), NULL), model, "grad_step");
  expected = norm_of_gradients(model);
  check(mlp_apply(model), model, "apply");
  check(mlp_grad_norm(model, &norm), model, "grad_norm");
  expect(fabs(norm - expected) < 1e-5 * expected && expected > 0.5,
         "the norm is that of all gradients, before they are clipped");

  for (int p = 0; p < 6; ++p) {
    check(mlp_gradient_read(model, parameters[p], gradient, sizes[p] * sizeof(float)), model,
          "gradient_read");
    for (size_t i = 0; i < sizes[p]; ++i)
      gradient[i] *= 2;
    check(mlp_gradient_write(model, parameters[p], gradient, sizes[p] * sizeof(float)), model,
          "gradient_write");
  }
  check(mlp_apply(model), model, "apply");
  check(mlp_grad_norm(model, &doubled), model, "grad_norm");
  expect(doubled == 2 * norm, "apply uses the gradients that were written");
  expect(mlp_gradient_write(model, "fc1.bias", gradient, 4) == DLC_INVALID_ARGUMENT &&
             mlp_gradient_write(model, "fc4.bias", gradient, 4) == DLC_NOT_FOUND,
         "gradients of other sizes or names are refused");
  mlp_destroy(model);
  model = create(1);
  check(mlp_gradient_write(model, "fc3.bias", gradient, 10 * sizeof(float)), model, "gradient_write");
  check(mlp_apply(model), model, "apply of written gradients alone");
  train(model, data, 0, 1);
  check(mlp_grad_norm(model, &norm), model, "grad_norm");
  mlp_destroy(model);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  data_set data = read_data(argv[1]);
  averages(&data);
  resumes(&data);
  accumulates_means(&data);
  norms(&data);
  free_data(&data);
  return 0;
}
