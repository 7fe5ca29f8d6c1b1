/* Trains the multilayer perceptron of mlp.onnx on Fashion-MNIST (or any data set in its format).
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * mlp.h and libmlp.a were made from mlp.onnx by `dlc compile` (see CMakeLists.txt). Everything the
 * program calls is declared in mlp.h and in dlc/runtime.h. */
#include "mlp.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the command line sets. */
typedef struct settings {
  const char *data, *save, *resume;
  int64_t epochs, seed, threads;
} settings;

static const char usage[] =
    "usage: mlp [--data DIR] [--epochs N] [--seed S] [--threads T] [--save FILE] [--resume FILE]\n"
    "  --data DIR     folder with the four Fashion-MNIST files (default: the shipped subset)\n"
    "  --epochs N     train until N epochs are done (default 5)\n"
    "  --seed S       of dropout and of the order of the images (default 1)\n"
    "  --threads T    0: one per core (default 1)\n"
    "  --save FILE    write the training state after each epoch\n"
    "  --resume FILE  continue from a saved state\n";

static void fail(const char *what, const char *why) {
  fprintf(stderr, "mlp: %s: %s\n", what, why);
  exit(1);
}

/* Every function of the model returns a status; the handle keeps a sentence about the last error. */
static void check(dlc_status status, const mlp *model, const char *what) {
  if (status != DLC_OK)
    fail(what, model ? mlp_last_error(model) : dlc_status_string(status));
}

static int64_t parse_count(const char *option, const char *text) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (end == text || *end || errno || value < 0)
    fail(option, "expected a whole number, at least 0");
  return value;
}

static settings parse_options(int argc, char **argv) {
  settings s = {DEFAULT_DATA_DIR, NULL, NULL, 5, 1, 1};
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
    else if (!strcmp(option, "--save"))
      s.save = value;
    else if (!strcmp(option, "--resume"))
      s.resume = value;
    else if (!strcmp(option, "--epochs"))
      s.epochs = parse_count(option, value);
    else if (!strcmp(option, "--seed"))
      s.seed = parse_count(option, value);
    else if (!strcmp(option, "--threads"))
      s.threads = parse_count(option, value);
    else
      fail(option, "unknown option (--help lists them)");
  }
  return s;
}

/* Reads one IDX file of the data folder: images with pixels from 0 to 1, or labels as they are. */
static dlc_array read_file(const settings *s, const char *name, int rank) {
  const dlc_scaling images = {.scale = 1 / 255.0, .mean = 0, .deviation = 1};
  char path[4096], error[512];
  if (snprintf(path, sizeof path, "%s/%s", s->data, name) >= (int)sizeof path)
    fail(s->data, "the path is too long");
  dlc_array array;
  if (dlc_read_idx(path, rank == 3 ? &images : NULL, &array, error, sizeof error) != DLC_OK)
    fail("cannot read the data", error);
  if (array.rank != rank || (rank == 3 && array.shape[1] * array.shape[2] != 784))
    fail(path, rank == 3 ? "expected images of 28x28 pixels" : "expected one label per image");
  return array;
}

/* Gives the pixels of the training set mean 0 and deviation 1, and changes the test set's likewise. */
static void standardize(dlc_array *training, dlc_array *test) {
  const float *pixels = training->data;
  size_t count = training->bytes / sizeof *pixels;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += pixels[i];
    squares += (double)pixels[i] * pixels[i];
  }
  double mean = sum / (double)count, deviation = sqrt(squares / (double)count - mean * mean);
  if (!(deviation > 0))
    fail("cannot scale the images", "expected pixels that differ");
  dlc_array *sets[] = {training, test};
  for (int set = 0; set < 2; ++set) {
    float *values = sets[set]->data;
    for (size_t i = 0; i < sets[set]->bytes / sizeof *values; ++i)
      values[i] = (float)((values[i] - mean) / deviation);
  }
}

/* Batches of (image, label). Shuffled ones are gathered by a background thread while the model trains. */
static dlc_loader *make_loader(const dlc_array *images, const dlc_array *labels, int shuffle, int64_t seed) {
  const dlc_array *arrays[] = {images, labels};
  dlc_loader_options options = {.struct_size = sizeof options,
                                .batch = MLP_BATCH,
                                .seed = (uint64_t)seed,
                                .shuffle = shuffle,
                                .drop_last = shuffle,
                                .threads = 1};
  dlc_loader *loader;
  check(dlc_loader_create(arrays, 2, &options, &loader), NULL, "cannot make batches of the data");
  return loader;
}

/* One pass over the training set; the mean of the steps' losses. */
static double train_epoch(mlp *model, dlc_loader *loader, int64_t epoch) {
  char label[32];
  snprintf(label, sizeof label, "epoch %lld", (long long)epoch + 1);
  int64_t steps = dlc_loader_batches(loader), step = 0, rows;
  const void *batch[2];
  double sum = 0;
  dlc_progress *progress;
  check(dlc_progress_create(label, steps, &progress), NULL, "cannot show progress");
  check(dlc_loader_start(loader, epoch), NULL, "cannot shuffle the data");
  while (check(dlc_loader_next(loader, &rows, batch), NULL, "cannot load a batch"), rows > 0) {
    float loss; /* forward, loss, backward and Adam's update in one call */
    check(mlp_train_step(model, batch[0], batch[1], &loss), model, "training step");
    sum += loss;
    dlc_progress_update(progress, ++step, loss);
  }
  dlc_progress_destroy(progress);
  return steps ? sum / (double)steps : 0;
}

/* The fraction of the test set that is classified correctly, without dropout. */
static double test_accuracy(mlp *model, dlc_loader *loader) {
  int64_t correct = 0, count = 0, rows;
  const void *batch[2];
  check(dlc_loader_start(loader, 0), NULL, "cannot start over the test set");
  while (check(dlc_loader_next(loader, &rows, batch), NULL, "cannot load a batch"), rows > 0) {
    dlc_metrics metrics; /* the last batch may have fewer rows than MLP_BATCH */
    check(mlp_eval_step(model, rows, batch[0], batch[1], &metrics), model, "evaluation step");
    correct += metrics.correct;
    count += metrics.count;
  }
  return count ? (double)correct / (double)count : 0;
}

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
  settings s = parse_options(argc, argv);
  dlc_array images = read_file(&s, "train-images-idx3-ubyte.gz", 3);
  dlc_array labels = read_file(&s, "train-labels-idx1-ubyte.gz", 1);
  dlc_array test_images = read_file(&s, "t10k-images-idx3-ubyte.gz", 3);
  dlc_array test_labels = read_file(&s, "t10k-labels-idx1-ubyte.gz", 1);
  standardize(&images, &test_images);
  dlc_loader *train_set = make_loader(&images, &labels, 1, s.seed);
  dlc_loader *test_set = make_loader(&test_images, &test_labels, 0, 0);
  int64_t batches = dlc_loader_batches(train_set);
  if (batches == 0)
    fail(s.data, "fewer training images than one batch");

  mlp *model; /* starts from the parameters of mlp.onnx, which are inside the library */
  dlc_create_options options = {
      .struct_size = sizeof options, .seed = (uint64_t)s.seed, .use_seed = 1, .threads = (int32_t)s.threads};
  check(mlp_create(&options, &model), NULL, "cannot create the model");
  if (s.resume) /* parameters, Adam's state, the random numbers' state and the number of steps */
    check(mlp_load(model, s.resume), model, "cannot resume");

  for (int64_t epoch = mlp_step_count(model) / batches; epoch < s.epochs; ++epoch) {
    double start = seconds();
    double loss = train_epoch(model, train_set, epoch);
    double time = seconds() - start;
    printf("epoch %lld: loss %.4f, %.2f s\n", (long long)epoch + 1, loss, time);
    fflush(stdout);
    if (s.save)
      check(mlp_save(model, s.save), model, "cannot save");
  }
  printf("test accuracy %.4f\n", test_accuracy(model, test_set));

  mlp_destroy(model);
  dlc_loader_destroy(test_set);
  dlc_loader_destroy(train_set);
  dlc_array_free(&test_labels);
  dlc_array_free(&test_images);
  dlc_array_free(&labels);
  dlc_array_free(&images);
  return 0;
}
