/* Trains the GPT of gpt.onnx to write like a text, character by character.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpt.h and the library were made from gpt.onnx by `dlc compile` (see CMakeLists.txt). The first nine tenths of the
 * text are trained on, in windows that begin anywhere; the last tenth is what the model is tested on. */
#include "sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct settings {
  const char *text, *tokens, *save, *resume;
  int64_t steps, stop, warmup, every;
  double lr;
  int threads;
  sampling sampling;
} settings;

static const char usage[] =
    "usage: gpt [options]\n"
    "  --text FILE      what to learn (default: the shipped part of Shakespeare's plays)\n"
    "  --tokens FILE    where its tokens are written (default: gpt.tokens)\n"
    "  --steps N        train until N steps are done (default 1000)\n"
    "  --stop N         ... but stop after N, as if interrupted\n"
    "  --lr R           largest learning rate (default 3e-3)\n"
    "  --warmup N       steps in which the rate rises to it; then it falls to a tenth along half a cosine (default 50)\n"
    "  --every N        steps between two lines (default 100)\n"
    "  --seed S         of the windows and of the sample (default 1)\n"
    "  --threads T      0: one per core (default 1)\n"
    "  --save FILE      write the training state at the end\n"
    "  --resume FILE    continue from such a file, with the same bits as without interruption\n"
    "  --sample N       characters to write at the end (default 300)\n"
    "  --temperature X  below 1: what is likely is likelier still (default 0.8)\n"
    "  --top-k K        draw from the K likeliest characters only (default 10; 0: all)\n"
    "  --prompt TEXT    what the sample begins with\n";

static void fail(const char *what, const char *why) {
  fprintf(stderr, "gpt: %s: %s\n", what, why);
  exit(1);
}

static void check(dlc_status status, const gpt *model, const char *what) {
  if (status != DLC_OK)
    fail(what, model ? gpt_last_error(model) : dlc_status_string(status));
}

static double parse_number(const char *option, const char *text, double least, double most) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= least && value <= most))
    fail(option, "not a number in range (--help lists the options)");
  return value;
}

static settings parse_options(int argc, char **argv) {
  settings s = {DEFAULT_TEXT, "gpt.tokens", NULL, NULL, 1000, INT64_MAX, 50, 100, 3e-3, 1, {300, 0.8, 10, 1, ""}};
  for (int i = 1; i < argc; i += 2) {
    const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strcmp(option, "--help")) {
      fputs(usage, stdout);
      exit(0);
    }
    if (!value)
      fail(option, "expected a value (--help lists the options)");
    if (!strcmp(option, "--text"))
      s.text = value;
    else if (!strcmp(option, "--tokens"))
      s.tokens = value;
    else if (!strcmp(option, "--steps"))
      s.steps = (int64_t)parse_number(option, value, 0, 1e9);
    else if (!strcmp(option, "--stop"))
      s.stop = (int64_t)parse_number(option, value, 0, 1e9);
    else if (!strcmp(option, "--lr"))
      s.lr = parse_number(option, value, 0, 1e3);
    else if (!strcmp(option, "--warmup"))
      s.warmup = (int64_t)parse_number(option, value, 0, 1e9);
    else if (!strcmp(option, "--every"))
      s.every = (int64_t)parse_number(option, value, 1, 1e9);
    else if (!strcmp(option, "--seed"))
      s.sampling.seed = (uint64_t)parse_number(option, value, 0, 1e9);
    else if (!strcmp(option, "--threads"))
      s.threads = (int)parse_number(option, value, 0, 1024);
    else if (!strcmp(option, "--save"))
      s.save = value;
    else if (!strcmp(option, "--resume"))
      s.resume = value;
    else if (!strcmp(option, "--sample"))
      s.sampling.characters = (int)parse_number(option, value, 0, 1e6);
    else if (!strcmp(option, "--temperature"))
      s.sampling.temperature = parse_number(option, value, 1e-3, 1e3);
    else if (!strcmp(option, "--top-k"))
      s.sampling.top_k = (int)parse_number(option, value, 0, 1e6);
    else if (!strcmp(option, "--prompt"))
      s.sampling.prompt = value;
    else
      fail(option, "unknown option (--help lists them)");
  }
  return s;
}

/* A part of the file of tokens, as batches of the model. */
static dlc_tokens *open_tokens(const settings *s, int64_t first, int64_t count, int random) {
  static char error[512];
  dlc_tokens_options options = {.struct_size = sizeof options,
                                .token_bytes = 2,
                                .random = random,
                                .window = WINDOW,
                                .batch = GPT_BATCH,
                                .seed = s->sampling.seed,
                                .vocabulary = VOCABULARY,
                                .first = first,
                                .count = count,
                                .error = error,
                                .error_bytes = sizeof error};
  dlc_tokens *tokens;
  if (dlc_tokens_open(s->tokens, &options, &tokens) != DLC_OK)
    fail("cannot read the tokens", error);
  return tokens;
}

static double rate_of(const settings *s, int64_t step) {
  const double pi = 3.14159265358979323846;
  if (step < s->warmup)
    return s->lr * (double)(step + 1) / (double)s->warmup;
  double done = (double)(step - s->warmup) / (double)(s->steps - s->warmup);
  return s->lr * (0.1 + 0.9 * 0.5 * (1 + cos(pi * done)));
}

/* The mean loss over all windows of the last tenth. */
static double test_loss(gpt *model, const dlc_tokens *tokens, int64_t *inputs, int64_t *targets) {
  double sum = 0, weight = 0;
  for (int64_t step = 0; step < dlc_tokens_batches(tokens); ++step) {
    dlc_metrics metrics;
    check(dlc_tokens_batch(tokens, step, inputs, targets), NULL, "tokens");
    check(gpt_eval_step(model, GPT_BATCH, inputs, targets, &metrics), model, "evaluation step");
    sum += metrics.loss_sum;
    weight += metrics.loss_weight;
  }
  return sum / weight;
}

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void train(gpt *model, const settings *s, const dlc_tokens *train_set, const dlc_tokens *test_set) {
  static int64_t inputs[GPT_BATCH * WINDOW], targets[GPT_BATCH * WINDOW];
  double start = seconds(), sum = 0;
  int64_t count = 0, last = s->stop < s->steps ? s->stop : s->steps;
  for (int64_t step = gpt_step_count(model); step < last; ++step) {
    float loss;
    check(dlc_tokens_batch(train_set, step, inputs, targets), NULL, "tokens");
    check(gpt_set_learning_rate(model, rate_of(s, step)), model, "learning rate");
    check(gpt_train_step(model, inputs, targets, &loss), model, "training step");
    sum += loss;
    ++count;
    if ((step + 1) % s->every == 0 || step + 1 == last) {
      printf("step %lld: loss %.4f, test loss %.4f, %.2f s\n", (long long)step + 1, sum / (double)count,
             test_loss(model, test_set, inputs, targets), seconds() - start);
      fflush(stdout);
      sum = 0;
      count = 0;
    }
  }
}

int main(int argc, char **argv) {
  settings s = parse_options(argc, argv);
  alphabet letters = write_tokens(s.text, s.tokens);
  if (letters.size > VOCABULARY)
    fail(s.text, "more different characters than the model was made for");
  dlc_tokens *all = open_tokens(&s, 0, 0, 0);
  int64_t count = dlc_tokens_count(all), training = count * 9 / 10;
  dlc_tokens_close(all);
  dlc_tokens *train_set = open_tokens(&s, 0, training, 1), *test_set = open_tokens(&s, training, 0, 0);

  gpt *model;
  dlc_create_options options = {.struct_size = sizeof options, .threads = s.threads};
  check(gpt_create(&options, &model), NULL, "cannot create the model");
  if (s.resume)
    check(gpt_load(model, s.resume), model, "cannot resume");
  train(model, &s, train_set, test_set);
  if (s.save)
    check(gpt_save(model, s.save), model, "cannot save");
  if (s.sampling.characters > 0)
    check(write_sample(model, &letters, &s.sampling), model, "prediction");

  gpt_destroy(model);
  dlc_tokens_close(test_set);
  dlc_tokens_close(train_set);
  return 0;
}
