/* Trains a small BERT on masked words, then to tell by a passage which play it is from.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two libraries were made by `dlc compile` (see CMakeLists.txt): `words` scores words, `classes` scores
 * plays. The second has the encoder of the first, whose parameters are copied by name; some of them are
 * frozen in it. */
#include "classes.h"
#include "passages.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct settings {
  const char *data;
  int pretrain, epochs, threads;
  double lr;
  uint64_t seed;
} settings;

static const char usage[] =
    "usage: classify-text [options]\n"
    "  --data FILE   lines of a class, a tab and a text (default: the shipped passages of two plays)\n"
    "  --pretrain N  steps on masked words; 0: fine-tune an encoder that has learned nothing (default 3000)\n"
    "  --epochs N    passes over the classes (default 3)\n"
    "  --lr R        learning rate of both (default 1e-3)\n"
    "  --seed S      of the order and of the masks (default 1)\n"
    "  --threads T   0: one per core (default 1)\n";

static void fail(const char *what, const char *why) {
  fprintf(stderr, "classify-text: %s: %s\n", what, why);
  exit(1);
}

/* `error` is the model's own sentence, which is empty where there is no model. */
static void check(dlc_status status, const char *error, const char *what) {
  if (status != DLC_OK)
    fail(what, error && *error ? error : dlc_status_string(status));
}

static double parse_number(const char *option, const char *text, double least, double most) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= least && value <= most))
    fail(option, "not a number in range (--help lists the options)");
  return value;
}

static settings parse_options(int argc, char **argv) {
  settings s = {DEFAULT_DATA, 3000, 3, 1, 1e-3, 1};
  for (int i = 1; i < argc; i += 2) {
    const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strcmp(option, "--help")) {
      fputs(usage, stdout);
      exit(0);
    }
    if (!value)
      fail(option, "expected a value (--help lists the options)");
    if (!strcmp(option, "--data"))
      s.data = value;
    else if (!strcmp(option, "--pretrain"))
      s.pretrain = (int)parse_number(option, value, 0, 1e6);
    else if (!strcmp(option, "--epochs"))
      s.epochs = (int)parse_number(option, value, 0, 1e6);
    else if (!strcmp(option, "--lr"))
      s.lr = parse_number(option, value, 0, 1e3);
    else if (!strcmp(option, "--seed"))
      s.seed = (uint64_t)parse_number(option, value, 0, 1e9);
    else if (!strcmp(option, "--threads"))
      s.threads = (int)parse_number(option, value, 0, 1024);
    else
      fail(option, "unknown option (--help lists them)");
  }
  return s;
}

/* splitmix64: a number below `limit`. */
static int64_t draw(uint64_t *state, int64_t limit) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (int64_t)((z ^ z >> 31) % (uint64_t)limit);
}

/* A batch of either model; `labels` is for the classes, `hidden` for the words. */
typedef struct batch {
  int64_t tokens[CLASSES_BATCH][WINDOW], mask[CLASSES_BATCH][WINDOW];
  int64_t labels[CLASSES_BATCH], hidden[CLASSES_BATCH][WINDOW];
} batch;

static void put(batch *b, int row, const passage *s) {
  memcpy(b->tokens[row], s->tokens, sizeof s->tokens);
  memcpy(b->mask[row], s->mask, sizeof s->mask);
  b->labels[row] = s->label;
}

/* Hides about one word of seven; these are what the model has to find. */
static void hide_words(batch *b, int row, uint64_t *state) {
  for (int i = 0; i < WINDOW; ++i) {
    int hide = b->tokens[row][i] >= FIRST_WORD && draw(state, 7) == 0;
    b->hidden[row][i] = hide ? b->tokens[row][i] : -100;
    if (hide)
      b->tokens[row][i] = MASK;
  }
}

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Trains on words that are hidden in the passages. */
static void pretrain(words *model, const settings *s, const passages *all) {
  static batch b;
  uint64_t state = s->seed;
  double start = seconds(), sum = 0;
  check(words_set_learning_rate(model, s->lr), words_last_error(model), "learning rate");
  for (int step = 0; step < s->pretrain; ++step) {
    for (int row = 0; row < WORDS_BATCH; ++row) {
      put(&b, row, &all->rows[draw(&state, all->training)]);
      hide_words(&b, row, &state);
    }
    float loss;
    check(words_train_step(model, &b.tokens[0][0], &b.mask[0][0], &b.hidden[0][0], &loss),
          words_last_error(model), "training step");
    sum += loss;
  }
  if (s->pretrain)
    printf("masked words: %d steps, loss %.4f, %.2f s\n", s->pretrain, sum / s->pretrain, seconds() - start);
}

/* The encoder's parameters, which have the same names in both models. */
static void copy_encoder(words *from, classes *to) {
  int64_t trained = 0, frozen = 0;
  for (int64_t i = 0; i < classes_parameter_count(to); ++i) {
    dlc_parameter_info info;
    check(classes_parameter_info(to, i, &info), classes_last_error(to), "parameter");
    *(info.trainable ? &trained : &frozen) += (int64_t)(info.bytes / sizeof(float));
    if (strncmp(info.name, "embeddings.", 11) && strncmp(info.name, "layers.", 7))
      continue; /* the head */
    void *values = malloc(info.bytes);
    if (!values)
      fail(info.name, "out of memory");
    check(words_parameter_read(from, info.name, values, info.bytes), words_last_error(from), info.name);
    check(classes_parameter_write(to, info.name, values, info.bytes), classes_last_error(to), info.name);
    free(values);
  }
  printf("classes: %lld numbers are trained, %lld are frozen\n", (long long)trained, (long long)frozen);
}

/* One pass over the passages in a new order; the mean of the steps' losses. */
static double train_epoch(classes *model, const passages *all, uint64_t *state) {
  static batch b;
  double sum = 0;
  int64_t steps = all->training / CLASSES_BATCH;
  for (int64_t i = all->training - 1; i > 0; --i) {
    int64_t j = draw(state, i + 1);
    passage moved = all->rows[i];
    all->rows[i] = all->rows[j];
    all->rows[j] = moved;
  }
  for (int64_t step = 0; step < steps; ++step) {
    for (int row = 0; row < CLASSES_BATCH; ++row)
      put(&b, row, &all->rows[step * CLASSES_BATCH + row]);
    float loss;
    check(classes_train_step(model, &b.tokens[0][0], &b.mask[0][0], b.labels, &loss),
          classes_last_error(model), "training step");
    sum += loss;
  }
  return steps ? sum / (double)steps : 0;
}

/* Of the passages that were not trained on. */
static double accuracy(classes *model, const passages *all) {
  static batch b;
  int64_t correct = 0, count = 0;
  for (int64_t first = all->training; first < all->count; first += CLASSES_BATCH) {
    int64_t rows = all->count - first < CLASSES_BATCH ? all->count - first : CLASSES_BATCH;
    for (int64_t row = 0; row < rows; ++row)
      put(&b, (int)row, &all->rows[first + row]);
    dlc_metrics metrics;
    check(classes_eval_step(model, rows, &b.tokens[0][0], &b.mask[0][0], b.labels, &metrics),
          classes_last_error(model), "evaluation step");
    correct += metrics.correct;
    count += metrics.count;
  }
  return count ? (double)correct / (double)count : 0;
}

int main(int argc, char **argv) {
  settings s = parse_options(argc, argv);
  passages all = read_passages(s.data);
  if (all.training < CLASSES_BATCH)
    fail(s.data, "fewer texts than one batch");

  words *encoder;
  classes *model;
  dlc_create_options options = {.struct_size = sizeof options, .threads = s.threads};
  check(words_create(&options, &encoder), NULL, "cannot create the model of words");
  check(classes_create(&options, &model), NULL, "cannot create the model of classes");
  pretrain(encoder, &s, &all);
  copy_encoder(encoder, model);
  words_destroy(encoder);

  uint64_t state = s.seed;
  check(classes_set_learning_rate(model, s.lr), classes_last_error(model), "learning rate");
  for (int epoch = 0; epoch < s.epochs; ++epoch) {
    double start = seconds(), loss = train_epoch(model, &all, &state), time = seconds() - start;
    printf("epoch %d: loss %.4f, %.2f s, test accuracy %.4f\n", epoch + 1, loss, time, accuracy(model, &all));
    fflush(stdout);
  }
  classes_destroy(model);
  free(all.rows);
  return 0;
}
