/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A model that takes its pixels and classes as bytes gives the bits of one that takes the same pixels as
 * float32 and the classes as int64: in steps, in evaluation, and in the prediction of fewer rows. */
#include "pixels_bytes.h"
#include "pixels_floats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { batch = 8, pixels = 144, classes = 5, steps = 20, weights = 5 * 400 };

static void expect(int truth, const char *what) {
  if (!truth) {
    fprintf(stderr, "FAIL %s is not so\n", what);
    exit(1);
  }
  printf("ok   %s\n", what);
}

/* Small numbers, large ones and those in between, 0, 127, 128 and 255 among them. */
static void fill(int step, uint8_t *bytes, float *floats, uint8_t *labels, int64_t *wide) {
  for (int i = 0; i < batch * pixels; ++i)
    floats[i] = bytes[i] = (uint8_t)((i * 127 + step * 31) % 256);
  for (int i = 0; i < batch; ++i)
    wide[i] = labels[i] = (uint8_t)((i * 3 + step) % classes);
}

int main(void) {
  static uint8_t bytes[batch * pixels], labels[batch];
  static float floats[batch * pixels], scores[2][batch * classes], values[2][weights];
  static int64_t wide[batch];
  pixels_bytes *of_bytes;
  pixels_floats *of_floats;
  if (pixels_bytes_create(NULL, &of_bytes) != DLC_OK || pixels_floats_create(NULL, &of_floats) != DLC_OK)
    expect(0, "that both are created");
  int same = 1;
  for (int step = 0; step < steps; ++step) {
    float losses[2];
    fill(step, bytes, floats, labels, wide);
    if (pixels_bytes_train_step(of_bytes, bytes, labels, &losses[0]) != DLC_OK ||
        pixels_floats_train_step(of_floats, floats, wide, &losses[1]) != DLC_OK)
      expect(0, "that both train");
    same &= memcmp(&losses[0], &losses[1], sizeof losses[0]) == 0;
  }
  expect(same, "the losses of all steps have the same bits");
  if (pixels_bytes_parameter_read(of_bytes, "weight", values[0], sizeof values[0]) != DLC_OK ||
      pixels_floats_parameter_read(of_floats, "weight", values[1], sizeof values[1]) != DLC_OK)
    expect(0, "that parameters can be read");
  expect(values[0][0] != 0.03125f && !memcmp(values[0], values[1], sizeof values[0]),
         "so have the parameters");

  dlc_metrics metrics[2];
  if (pixels_bytes_eval_step(of_bytes, batch, bytes, labels, &metrics[0]) != DLC_OK ||
      pixels_floats_eval_step(of_floats, batch, floats, wide, &metrics[1]) != DLC_OK)
    expect(0, "that both evaluate");
  expect(!memcmp(&metrics[0], &metrics[1], sizeof metrics[0]) && metrics[0].count == batch,
         "so has an evaluation");
  for (int64_t rows = 1; rows <= batch; rows += 3)
    if (pixels_bytes_predict(of_bytes, rows, bytes, scores[0]) != DLC_OK ||
        pixels_floats_predict(of_floats, rows, floats, scores[1]) != DLC_OK)
      expect(0, "that both predict");
  expect(!memcmp(scores[0], scores[1], 7 * classes * sizeof(float)), "so have predictions of fewer rows");

  labels[3] = classes;
  float loss;
  expect(
      pixels_bytes_train_step(of_bytes, bytes, labels, &loss) == DLC_INDEX_OUT_OF_RANGE &&
          strstr(pixels_bytes_last_error(of_bytes), "input 'labels': value 5 at position 3, expected 0 to 4"),
      "a class that the model has not is refused");
  pixels_bytes_destroy(of_bytes);
  pixels_floats_destroy(of_floats);
  return 0;
}
