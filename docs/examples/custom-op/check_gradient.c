/* Compares the gradient of a custom operation with finite differences, through the compiled model: a gradient
 * that is wrong trains all the same, only worse, and nothing else tells.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * swish.h and libswish.a were made from swish.onnx by `dlc compile --custom-ops` (see CMakeLists.txt). */
#include "swish.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { hidden = 32, pixels = 784 };

static float image[SWISH_BATCH * pixels];
static int64_t labels[SWISH_BATCH];

static void check(dlc_status status, const swish *model, const char *what) {
  if (status == DLC_OK)
    return;
  fprintf(stderr, "check_gradient: %s: %s\n", what,
          model ? swish_last_error(model) : dlc_status_string(status));
  exit(1);
}

static double loss(swish *model) {
  dlc_metrics metrics;
  check(swish_eval_step(model, SWISH_BATCH, image, labels, &metrics), model, "evaluation");
  return metrics.loss_sum / metrics.loss_weight;
}

/* The largest difference of a parameter's gradient from finite differences, beside the gradient's largest
 * number. */
static int compare(swish *model, const char *parameter) {
  float values[hidden], gradient[hidden], unused;
  const float step = 1e-2f;
  double largest = 0, difference = 0;
  check(swish_grad_step(model, image, labels, &unused), model, "gradient");
  check(swish_gradient_read(model, parameter, gradient, sizeof gradient), model, "reading a gradient");
  check(swish_parameter_read(model, parameter, values, sizeof values), model, "reading a parameter");
  for (int i = 0; i < hidden; ++i) {
    const float value = values[i];
    double sides[2];
    for (int side = 0; side < 2; ++side) {
      values[i] = side ? value + step : value - step;
      check(swish_parameter_write(model, parameter, values, sizeof values), model, "writing a parameter");
      sides[side] = loss(model);
    }
    values[i] = value;
    check(swish_parameter_write(model, parameter, values, sizeof values), model, "writing a parameter");
    difference = fmax(difference, fabs((sides[1] - sides[0]) / (2 * (double)step) - (double)gradient[i]));
    largest = fmax(largest, fabs((double)gradient[i]));
  }
  printf("%-8s  %s\n", parameter, difference < 0.01 * largest ? "agrees" : "differs");
  return difference < 0.01 * largest;
}

int main(void) {
  swish *model;
  dlc_create_options options = {.struct_size = sizeof options};
  check(swish_create(&options, &model), NULL, "cannot create the model");
  for (int i = 0; i < SWISH_BATCH * pixels; ++i)
    image[i] = (float)sin(0.37 * i);
  for (int i = 0; i < SWISH_BATCH; ++i)
    labels[i] = i % 10;
  for (int i = 0; i < 20; ++i) { /* away from where it began: a bias of 0 and a beta of 1 hide mistakes */
    float unused;
    check(swish_train_step(model, image, labels, &unused), model, "training");
  }
  const int good = compare(model, "act.bias") & compare(model, "act.beta");
  swish_destroy(model);
  return !good;
}
