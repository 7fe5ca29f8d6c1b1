/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A mean loss divides by the weights of the labels that are there. Where they are all 0, or all labels are
 * ignored, the loss is not a number, as in PyTorch; with check_finite the step is refused, and nothing has
 * changed. The model has scores of 7 classes at each of 6 places; class 0 has the weight 0. */
#include "weighted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { places = WEIGHTED_BATCH * 6 };

static void fail(const char *what, const char *why) {
  fprintf(stderr, "FAIL %s: %s\n", what, why);
  exit(1);
}

static void expect(int holds, const char *what, const weighted *model) {
  if (!holds)
    fail(what, weighted_last_error(model));
}

static weighted *create(int check_finite) {
  weighted *model;
  dlc_create_options options = {.struct_size = sizeof options, .check_finite = check_finite};
  dlc_status status = weighted_create(&options, &model);
  if (status != DLC_OK)
    fail("create", dlc_status_string(status));
  return model;
}

static float x[places * 5], before[7], after[7];
static int64_t zeros[places], ignored[places], mixed[places];

static void read_bias(weighted *model, float *bias) {
  expect(weighted_parameter_read(model, "2.bias", bias, sizeof before) == DLC_OK, "parameter_read", model);
}

/* The step gives NaN and goes on. */
static void unchecked(const int64_t *labels, int parameters_stay) {
  weighted *model = create(0);
  dlc_metrics metrics;
  float loss = 0;
  expect(weighted_eval_step(model, WEIGHTED_BATCH, x, labels, &metrics) == DLC_OK, "eval_step", model);
  expect(metrics.loss_sum == 0 && metrics.loss_weight == 0, "nothing to sum", model);
  expect(weighted_train_step(model, x, labels, &loss) == DLC_OK, "train_step", model);
  expect(isnan(loss), "the loss is not a number", model);
  read_bias(model, after);
  expect(parameters_stay ? !isnan(after[0]) : isnan(after[0]), "what becomes of the parameters", model);
  weighted_destroy(model);
}

/* The step is refused, and one with labels that count goes on from the same parameters. */
static void checked(const int64_t *labels) {
  weighted *model = create(1);
  float loss = 0;
  read_bias(model, before);
  expect(weighted_train_step(model, x, labels, &loss) == DLC_NOT_FINITE, "check_finite", model);
  read_bias(model, after);
  expect(!memcmp(before, after, sizeof before), "the parameters stay", model);
  expect(weighted_train_step(model, x, mixed, &loss) == DLC_OK && isfinite(loss), "labels that count", model);
  weighted_destroy(model);
}

int main(void) {
  for (int i = 0; i < places * 5; ++i)
    x[i] = sinf((float)i);
  for (int i = 0; i < places; ++i) {
    ignored[i] = -100;
    mixed[i] = i % 7;
  }
  unchecked(zeros, /*parameters_stay=*/0);   /* 0 / 0 in the gradients, too */
  unchecked(ignored, /*parameters_stay=*/1); /* labels that are ignored have no gradient */
  checked(zeros);
  checked(ignored);
  weighted *model = create(0);
  dlc_metrics metrics;
  expect(weighted_eval_step(model, 2, x, mixed, &metrics) == DLC_OK, "eval_step", model);
  expect(metrics.count == 12, "labels of two rows", model);
  weighted_destroy(model);
  return 0;
}
