/* Draws text from a trained model (sample.h).
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The model computes the scores of a whole window for each character. Positions after the text are filled with
 * anything: attention is causal, so what comes before does not see them. */
#include "sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64: a number from 0 to 1. */
static double draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static int falling(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x < y) - (x > y);
}

/* One token, with probabilities proportional to exp(score / temperature) among the k likeliest. */
static int choose(const float *scores, const sampling *how, uint64_t *state) {
  float sorted[VOCABULARY];
  memcpy(sorted, scores, sizeof sorted);
  qsort(sorted, VOCABULARY, sizeof *sorted, falling);
  int k = how->top_k > 0 && how->top_k < VOCABULARY ? how->top_k : VOCABULARY;
  double weights[VOCABULARY], sum = 0;
  for (int i = 0; i < VOCABULARY; ++i) {
    weights[i] = scores[i] < sorted[k - 1] ? 0 : exp((scores[i] - sorted[0]) / how->temperature);
    sum += weights[i];
  }
  double left = draw(state) * sum;
  int chosen = 0;
  for (int i = 0; i < VOCABULARY && left >= 0; ++i)
    if (weights[i] > 0) {
      chosen = i;
      left -= weights[i];
    }
  return chosen;
}

dlc_status write_sample(gpt *model, const alphabet *letters, const sampling *how) {
  static int64_t window[WINDOW];
  static float scores[WINDOW * VOCABULARY];
  uint64_t state = how->seed;
  int length = 0;
  for (const char *c = how->prompt; *c; ++c) {
    int token = letters->token[(unsigned char)*c];
    if (token < 0 || length == WINDOW)
      continue; /* a character that the text does not have, or one too many */
    window[length++] = token;
    putchar(*c);
  }
  for (int i = 0; i < how->characters; ++i) {
    if (length == WINDOW) /* the oldest character is forgotten */
      memmove(window, window + 1, --length * sizeof *window);
    if (length == 0)
      window[length++] = 0; /* the first of the alphabet: a line's end */
    dlc_status status = gpt_predict(model, 1, window, scores);
    if (status != DLC_OK)
      return status;
    int token = choose(scores + (length - 1) * VOCABULARY, how, &state);
    window[length++] = token;
    putchar(letters->letter[token]);
  }
  putchar('\n');
  return DLC_OK;
}
