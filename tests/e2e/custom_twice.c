/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two models that have the same operation of a user's link into one program, which has functions of the
 * operation's names itself. One of them was compiled for all optimizations, the other for none: they give the
 * same to rounding. */
#include "swish_fast.h"
#include "swish_plain.h"

#include <math.h>
#include <stdio.h>

enum { pixels = 784, classes = 10 };

/* Not those of the models. */
int bias_swish(void);
int sigmoid(void);
int bias_swish(void) { return 1; }
int sigmoid(void) { return 2; }

static float image[SWISH_FAST_BATCH * pixels], first[SWISH_FAST_BATCH * classes],
    second[SWISH_FAST_BATCH * classes];

static int expect(int holds, const char *what) {
  if (!holds)
    fprintf(stderr, "FAIL %s\n", what);
  return !holds;
}

int main(void) {
  swish_fast *fast;
  swish_plain *plain;
  if (expect(swish_fast_create(NULL, &fast) == DLC_OK && swish_plain_create(NULL, &plain) == DLC_OK,
             "create"))
    return 1;
  for (int i = 0; i < SWISH_FAST_BATCH * pixels; ++i)
    image[i] = (float)sin(0.29 * i);
  if (expect(swish_fast_predict(fast, SWISH_FAST_BATCH, image, first) == DLC_OK, "predict") ||
      expect(swish_plain_predict(plain, SWISH_FAST_BATCH, image, second) == DLC_OK, "predict"))
    return 1;
  for (int i = 0; i < SWISH_FAST_BATCH * classes; ++i)
    if (expect(fabsf(first[i]) > 0 && fabsf(first[i] - second[i]) < 1e-5f, "the scores of both"))
      return 1;
  swish_fast_destroy(fast);
  swish_plain_destroy(plain);
  return expect(bias_swish() + sigmoid() == 3, "the program's own functions");
}
