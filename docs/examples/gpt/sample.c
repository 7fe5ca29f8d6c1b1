/* Draws text from a trained model (sample.h).
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The model is compiled a second time, for one token a call (gpt_next): the keys and values of the tokens
 * before, which attention needs, are kept between calls instead of computed again. The parameters come from
 * the trained model. */
#include "sample.h"

#include "gpt_next.h"

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

/* What has been read: attention's keys and values of each token, for each layer and each of its heads. */
enum { HEADS_OF_ALL = LAYERS * HEADS, HEAD_SIZE = WIDTH / HEADS };
typedef struct reader {
  gpt_next *model;
  float keys[HEADS_OF_ALL][WINDOW][HEAD_SIZE], values[HEADS_OF_ALL][WINDOW][HEAD_SIZE];
  int64_t tokens[WINDOW];
  int64_t length; /* how many of them */
} reader;

/* Reads a token: the scores of the one after it. */
static dlc_status read_token(reader *r, int64_t token, float *scores) {
  if (r->length == WINDOW) { /* places are full: the later half is read again, from the first place on */
    int64_t kept[WINDOW / 2];
    memcpy(kept, r->tokens + WINDOW - WINDOW / 2, sizeof kept);
    r->length = 0;
    for (int i = 0; i < WINDOW / 2; ++i) {
      dlc_status status = read_token(r, kept[i], scores);
      if (status != DLC_OK)
        return status;
    }
  }
  int64_t place = r->length++;
  r->tokens[place] = token;
  float keys[HEADS_OF_ALL][HEAD_SIZE], values[HEADS_OF_ALL][HEAD_SIZE];
  dlc_status status = gpt_next_predict(r->model, 1, &token, &place, &r->keys[0][0][0], &r->values[0][0][0],
                                       scores, &keys[0][0], &values[0][0]);
  for (int head = 0; head < HEADS_OF_ALL; ++head) {
    memcpy(r->keys[head][place], keys[head], sizeof keys[head]);
    memcpy(r->values[head][place], values[head], sizeof values[head]);
  }
  return status;
}

/* The trained parameters, which have the same names. */
static dlc_status copy_parameters(gpt *from, gpt_next *to) {
  dlc_status status = DLC_OK;
  for (int64_t i = 0; status == DLC_OK && i < gpt_next_parameter_count(to); ++i) {
    dlc_parameter_info info;
    status = gpt_next_parameter_info(to, i, &info);
    void *values = status == DLC_OK ? malloc(info.bytes) : NULL;
    if (status == DLC_OK && !values)
      status = DLC_OUT_OF_MEMORY;
    if (status == DLC_OK)
      status = gpt_parameter_read(from, info.name, values, info.bytes);
    if (status == DLC_OK)
      status = gpt_next_parameter_write(to, info.name, values, info.bytes);
    free(values);
  }
  return status;
}

static dlc_status write_text(reader *r, const alphabet *letters, const sampling *how) {
  float scores[VOCABULARY];
  uint64_t state = how->seed;
  dlc_status status = DLC_OK;
  for (const char *c = how->prompt; status == DLC_OK && *c; ++c) {
    int token = letters->token[(unsigned char)*c];
    if (token < 0)
      continue; /* a character that the text does not have */
    status = read_token(r, token, scores);
    putchar(*c);
  }
  if (status == DLC_OK && r->length == 0)
    status = read_token(r, 0, scores); /* the first of the alphabet: a line's end */
  for (int i = 0; status == DLC_OK && i < how->characters; ++i) {
    int token = choose(scores, how, &state);
    putchar(letters->letter[token]);
    status = read_token(r, token, scores);
  }
  putchar('\n');
  return status;
}

dlc_status write_sample(gpt *model, const alphabet *letters, const sampling *how) {
  static reader r;
  dlc_create_options options = {.struct_size = sizeof options, .threads = 1};
  dlc_status status = gpt_next_create(&options, &r.model);
  if (status == DLC_OK)
    status = copy_parameters(model, r.model);
  if (status == DLC_OK)
    status = write_text(&r, letters, how);
  gpt_next_destroy(r.model);
  return status;
}
