/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A model with an open size predicts what the same model predicts that was compiled for that size, writes
 * nothing beyond, and refuses what is out of range. */
#include "words_1.h"
#include "words_64.h"
#include "words_7.h"
#include "words_open.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST WORDS_OPEN_MAX_WORDS_IN_TEXT

static const float guard = -12345.0f;

static void fail(const char *what, int64_t rows, int64_t size) {
  fprintf(stderr, "FAIL %s: %d rows of %d words\n", what, (int)rows, (int)size);
  exit(1);
}

/* Equal to a few roundings, up to `count`; what follows is as it was. */
static void compare(const char *what, const float *found, const float *expected, int64_t count, int64_t rows,
                    int64_t size) {
  for (int64_t i = 0; i < count; ++i)
    if (!(fabsf(found[i] - expected[i]) <= 1e-5f * (1 + fabsf(expected[i]))))
      fail(what, rows, size);
  for (int64_t i = count; i < count + 64; ++i)
    if (found[i] != guard)
      fail("written beyond the end", rows, size);
}

static dlc_status predict_fixed(void *const *models, int64_t size, int64_t rows, const int64_t *ids,
                                float *words, float *y) {
  switch (size) {
  case 1:
    return words_1_predict(models[0], rows, ids, words, y);
  case 7:
    return words_7_predict(models[1], rows, ids, words, y);
  default:
    return words_64_predict(models[2], rows, ids, words, y);
  }
}

int main(void) {
  words_open *open;
  void *fixed[3];
  if (words_open_create(NULL, &open) != DLC_OK || words_1_create(NULL, (words_1 **)&fixed[0]) != DLC_OK ||
      words_7_create(NULL, (words_7 **)&fixed[1]) != DLC_OK ||
      words_64_create(NULL, (words_64 **)&fixed[2]) != DLC_OK)
    fail("create", 0, 0);
  static float words[2][WORDS_OPEN_BATCH * MOST * 4 + 64], y[2][WORDS_OPEN_BATCH * 3 + 64];
  static int64_t ids[WORDS_OPEN_BATCH * MOST + 1];
  const int64_t sizes[] = {64, 1, 7, 64};
  for (int k = 0; k < 4; ++k)
    for (int64_t rows = 1; rows <= WORDS_OPEN_BATCH; ++rows) {
      const int64_t size = sizes[k], count = rows * size;
      for (int64_t i = 0; i < count; ++i)
        ids[i] = (i * 7 + rows) % 10;
      ids[count] = 1000; /* behind the last: not read */
      for (size_t i = 0; i < sizeof words[0] / sizeof(float); ++i)
        words[0][i] = words[1][i] = guard;
      for (size_t i = 0; i < sizeof y[0] / sizeof(float); ++i)
        y[0][i] = y[1][i] = guard;
      if (words_open_predict(open, rows, size, ids, words[0], y[0]) != DLC_OK ||
          predict_fixed(fixed, size, rows, ids, words[1], y[1]) != DLC_OK)
        fail(words_open_last_error(open), rows, size);
      compare("words", words[0], words[1], count * 4, rows, size);
      compare("y", y[0], y[1], rows * 3, rows, size);
      ids[count - 1] = 10;
      if (words_open_predict(open, rows, size, ids, words[0], y[0]) != DLC_INDEX_OUT_OF_RANGE)
        fail("the last value is not checked", rows, size);
      ids[count - 1] = 0;
    }
  const int64_t bad[] = {0, -1, MOST + 1, INT64_MAX};
  for (int k = 0; k < 4; ++k)
    if (words_open_predict(open, 1, bad[k], ids, words[0], y[0]) != DLC_INVALID_ARGUMENT ||
        !strstr(words_open_last_error(open), "of 'words_in_text', expected 1 to 64"))
      fail(words_open_last_error(open), 1, bad[k]);
  words_open_destroy(open);
  words_1_destroy(fixed[0]);
  words_7_destroy(fixed[1]);
  words_64_destroy(fixed[2]);
  return 0;
}
