/* Trains the convolutional net of lenet.onnx on Fashion-MNIST (or any data set in its format).
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * lenet.h and the library were made from lenet.onnx by `dlc compile` (see CMakeLists.txt). The learning rate
 * is no part of them: this program lowers it after each epoch. */
#include "lenet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct settings {
  const char *data;
  int epochs, seed, threads;
  double lr;
} settings;

static const char usage[] =
    "usage: lenet [--data DIR] [--epochs N] [--lr R] [--seed S] [--threads T]\n"
    "  --data DIR   folder with the four Fashion-MNIST files (default: the shipped subset)\n"
    "  --epochs N   train for N epochs (default 5)\n"
    "  --lr R       learning rate of the first epoch; it falls to 0 along half a cosine (default 0.02)\n"
    "  --seed S     of the order of the images (default 1)\n"
    "  --threads T  0: one per core (default 1)\n";

static void fail(const char *what, const char *why) {
  fprintf(stderr, "lenet: %s: %s\n", what, why);
  exit(1);
}

static void check(dlc_status status, const lenet *model, const char *what) {
  if (status != DLC_OK)
    fail(what, model ? lenet_last_error(model) : dlc_status_string(status));
}

static double parse_number(const char *option, const char *text, double least, double most) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= least && value <= most))
    fail(option, "not a number in range (--help lists the options)");
  return value;
}

static settings parse_options(int argc, char **argv) {
  settings s = {DEFAULT_DATA_DIR, 5, 1, 1, 0.02};
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
    else if (!strcmp(option, "--epochs"))
      s.epochs = (int)parse_number(option, value, 0, 1e6);
    else if (!strcmp(option, "--lr"))
      s.lr = parse_number(option, value, 0, 1e3);
    else if (!strcmp(option, "--seed"))
      s.seed = (int)parse_number(option, value, 0, 1e9);
    else if (!strcmp(option, "--threads"))
      s.threads = (int)parse_number(option, value, 0, 1024);
    else
      fail(option, "unknown option (--help lists them)");
  }
  return s;
}

/* Reads images with pixels from 0 to 1, or labels. An image of the data set, 28x28, is one of the model,
 * 1x28x28: the numbers lie in memory alike. */
static dlc_array read_file(const settings *s, const char *name, int rank) {
  const dlc_scaling images = {.scale = 1 / 255.0, .mean = 0, .deviation = 1};
  char path[4096], error[512];
  if (snprintf(path, sizeof path, "%s/%s", s->data, name) >= (int)sizeof path)
    fail(s->data, "the path is too long");
  dlc_array array;
  if (dlc_read_idx(path, rank == 3 ? &images : NULL, &array, error, sizeof error) != DLC_OK)
    fail("cannot read the data", error);
  if (array.rank != rank || (rank == 3 && (array.shape[1] != 28 || array.shape[2] != 28)))
    fail(path, rank == 3 ? "expected images of 28x28 pixels" : "expected one label per image");
  return array;
}

static dlc_loader *make_loader(const dlc_array *images, const dlc_array *labels, int shuffle, int seed) {
  const dlc_array *arrays[] = {images, labels};
  dlc_loader_options options = {.struct_size = sizeof options,
                                .batch = LENET_BATCH,
                                .seed = (uint64_t)seed,
                                .shuffle = shuffle,
                                .drop_last = shuffle,
                                .threads = 1};
  dlc_loader *loader;
  check(dlc_loader_create(arrays, 2, &options, &loader), NULL, "cannot make batches of the data");
  return loader;
}

/* One pass over the training set; the mean of the steps' losses. */
static double train_epoch(lenet *model, dlc_loader *loader, int epoch) {
  char label[32];
  snprintf(label, sizeof label, "epoch %d", epoch + 1);
  int64_t steps = dlc_loader_batches(loader), step = 0, rows;
  const void *batch[2];
  double sum = 0;
  dlc_progress *progress;
  check(dlc_progress_create(label, steps, &progress), NULL, "cannot show progress");
  check(dlc_loader_start(loader, epoch), NULL, "cannot shuffle the data");
  while (check(dlc_loader_next(loader, &rows, batch), NULL, "cannot load a batch"), rows > 0) {
    float loss;
    check(lenet_train_step(model, batch[0], batch[1], &loss), model, "training step");
    sum += loss;
    dlc_progress_update(progress, ++step, loss);
  }
  dlc_progress_destroy(progress);
  return steps ? sum / (double)steps : 0;
}

static double test_accuracy(lenet *model, dlc_loader *loader) {
  int64_t correct = 0, count = 0, rows;
  const void *batch[2];
  check(dlc_loader_start(loader, 0), NULL, "cannot start over the test set");
  while (check(dlc_loader_next(loader, &rows, batch), NULL, "cannot load a batch"), rows > 0) {
    dlc_metrics metrics;
    check(lenet_eval_step(model, rows, batch[0], batch[1], &metrics), model, "evaluation step");
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
  const double pi = 3.14159265358979323846;
  settings s = parse_options(argc, argv);
  dlc_array images = read_file(&s, "train-images-idx3-ubyte.gz", 3);
  dlc_array labels = read_file(&s, "train-labels-idx1-ubyte.gz", 1);
  dlc_array test_images = read_file(&s, "t10k-images-idx3-ubyte.gz", 3);
  dlc_array test_labels = read_file(&s, "t10k-labels-idx1-ubyte.gz", 1);
  dlc_loader *train_set = make_loader(&images, &labels, 1, s.seed);
  dlc_loader *test_set = make_loader(&test_images, &test_labels, 0, 0);
  if (dlc_loader_batches(train_set) == 0)
    fail(s.data, "fewer training images than one batch");

  lenet *model;
  dlc_create_options options = {.struct_size = sizeof options, .threads = s.threads};
  check(lenet_create(&options, &model), NULL, "cannot create the model");
  for (int epoch = 0; epoch < s.epochs; ++epoch) {
    double rate = s.lr * 0.5 * (1 + cos(pi * epoch / s.epochs));
    check(lenet_set_learning_rate(model, rate), model, "learning rate");
    double start = seconds(), loss = train_epoch(model, train_set, epoch), time = seconds() - start;
    printf("epoch %d: learning rate %.4f, loss %.4f, %.2f s\n", epoch + 1, rate, loss, time);
    fflush(stdout);
  }
  printf("test accuracy %.4f\n", test_accuracy(model, test_set));

  lenet_destroy(model);
  dlc_loader_destroy(test_set);
  dlc_loader_destroy(train_set);
  dlc_array_free(&test_labels);
  dlc_array_free(&test_images);
  dlc_array_free(&labels);
  dlc_array_free(&images);
  return 0;
}
