/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Creates a model and does a training step, or says why this CPU cannot. usage: create */
#include "circle.h"

#include <stdio.h>

int main(void) {
  static const float points[CIRCLE_BATCH * 2], targets[CIRCLE_BATCH];
  char error[512] = "";
  circle *model;
  dlc_create_options options = {.struct_size = sizeof options, .error = error, .error_bytes = sizeof error};
  dlc_status status = circle_create(&options, &model);
  if (status != DLC_OK) {
    printf("%s: %s\n", dlc_status_string(status), error);
    return status == DLC_UNSUPPORTED_CPU ? 3 : 1;
  }
  float loss;
  status = circle_train_step(model, points, targets, &loss);
  printf("%s: loss %.4f\n", dlc_status_string(status), loss);
  circle_destroy(model);
  return status != DLC_OK;
}
