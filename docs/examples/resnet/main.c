/* Trains ResNet-18 on CIFAR-10 (or generated images in its format), with random crops and mirrored images.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * resnet18.h and the library were made from resnet18.onnx by `dlc compile` (see CMakeLists.txt). */
#include "resnet18.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { channels = 3 };
/* Means and deviations of CIFAR-10's training pixels, from 0 to 1, for red, green and blue. */
static const double means[channels] = {0.4914, 0.4822, 0.4465},
                    deviations[channels] = {0.2470, 0.2435, 0.2616};

typedef struct settings {
  const char *data, *weights, *save, *resume;
  int epochs, images, seed, threads;
  double lr;
} settings;

static const char usage[] =
    "usage: resnet18 --data DIR [--images-per-file N] [--epochs N] [--lr R] [--seed S] [--threads T]\n"
    "                [--weights FILE] [--save FILE] [--resume FILE]\n"
    "  --data DIR           folder with CIFAR-10's data_batch_1.bin to data_batch_5.bin and test_batch.bin\n"
    "  --images-per-file N  in each of the six files (default 10000, as in CIFAR-10)\n"
    "  --epochs N           train until N epochs are done (default 30)\n"
    "  --lr R               largest learning rate; it rises in the first tenth of the steps and then falls "
    "to 0 along\n"
    "                       half a cosine (default 0.05)\n"
    "  --seed S             of the order of the images and of their changes (default 1)\n"
    "  --threads T          0: one per core (default 1)\n"
    "  --weights FILE       initial parameters (default: those that were compiled with the model)\n"
    "  --save FILE          write the training state after each epoch\n"
    "  --resume FILE        continue from a saved state\n";

static void fail(const char *what, const char *why) {
  fprintf(stderr, "resnet18: %s: %s\n", what, why);
  exit(1);
}

static void check(dlc_status status, const resnet18 *model, const char *what) {
  if (status != DLC_OK)
    fail(what, model ? resnet18_last_error(model) : dlc_status_string(status));
}

static double parse_number(const char *option, const char *text, double least, double most) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= least && value <= most))
    fail(option, "not a number in range (--help lists the options)");
  return value;
}

static settings parse_options(int argc, char **argv) {
  settings s = {
      .weights = DEFAULT_WEIGHTS, .epochs = 30, .images = 10000, .seed = 1, .threads = 1, .lr = 0.05};
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
    else if (!strcmp(option, "--weights"))
      s.weights = value;
    else if (!strcmp(option, "--save"))
      s.save = value;
    else if (!strcmp(option, "--resume"))
      s.resume = value;
    else if (!strcmp(option, "--images-per-file"))
      s.images = (int)parse_number(option, value, 1, 1e6);
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
  if (!s.data)
    fail("--data", "expected a folder with CIFAR-10's binary files; make_images.py writes one to try with");
  return s;
}

/* Reads files of the data folder into one set; pixels get about the mean 0 and the deviation 1. */
static void read_set(const settings *s, const char *const *names, int count, dlc_array *images,
                     dlc_array *labels) {
  static char paths[5][4096];
  const char *pointers[5];
  char error[4352];
  dlc_scaling scaling[channels];
  for (int c = 0; c < channels; ++c)
    scaling[c] = (dlc_scaling){.scale = 1 / 255.0, .mean = means[c], .deviation = deviations[c]};
  for (int i = 0; i < count; ++i) {
    if (snprintf(paths[i], sizeof paths[i], "%s/%s", s->data, names[i]) >= (int)sizeof paths[i])
      fail(s->data, "the path is too long");
    pointers[i] = paths[i];
  }
  if (dlc_read_cifar(pointers, count, 10, s->images, scaling, images, labels, error, sizeof error) != DLC_OK)
    fail("cannot read the data", error);
}

/* Batches for training are shuffled, and their images moved by up to 4 pixels and mirrored; what comes in at
 * the border is black. */
static dlc_loader *make_loader(const dlc_array *images, const dlc_array *labels, int training, int seed) {
  const dlc_array *arrays[] = {images, labels};
  float black[channels];
  for (int c = 0; c < channels; ++c)
    black[c] = (float)(-means[c] / deviations[c]);
  dlc_augmentation augmentation = {.images = 0, .padding = 4, .mirror = 1, .fill = black};
  dlc_loader_options options = {.struct_size = sizeof options,
                                .batch = RESNET18_BATCH,
                                .seed = (uint64_t)seed,
                                .shuffle = training,
                                .drop_last = training,
                                .threads = 1,
                                .augmentation = training ? &augmentation : NULL};
  dlc_loader *loader;
  check(dlc_loader_create(arrays, 2, &options, &loader), NULL, "cannot make batches of the data");
  return loader;
}

static double learning_rate(double largest, int64_t step, int64_t steps) {
  const double pi = 3.14159265358979323846, rising = 0.1 * (double)steps;
  if ((double)step < rising)
    return largest * (double)(step + 1) / (rising + 1);
  return largest * 0.5 * (1 + cos(pi * ((double)step - rising) / ((double)steps - rising)));
}

/* One pass over the training set; the mean of the steps' losses. */
static double train_epoch(resnet18 *model, dlc_loader *loader, int64_t epoch, const settings *s) {
  char label[32];
  snprintf(label, sizeof label, "epoch %lld", (long long)epoch + 1);
  int64_t steps = dlc_loader_batches(loader), step = 0, rows;
  const void *batch[2];
  double sum = 0;
  dlc_progress *progress;
  check(dlc_progress_create(label, steps, &progress), NULL, "cannot show progress");
  check(dlc_loader_start(loader, epoch), NULL, "cannot shuffle the data");
  while (check(dlc_loader_next(loader, &rows, batch), NULL, "cannot load a batch"), rows > 0) {
    double rate = learning_rate(s->lr, epoch * steps + step, s->epochs * steps);
    check(resnet18_set_learning_rate(model, rate), model, "learning rate");
    float loss;
    check(resnet18_train_step(model, batch[0], batch[1], &loss), model, "training step");
    sum += loss;
    dlc_progress_update(progress, ++step, loss);
  }
  dlc_progress_destroy(progress);
  return steps ? sum / (double)steps : 0;
}

static double test_accuracy(resnet18 *model, dlc_loader *loader) {
  int64_t correct = 0, count = 0, rows;
  const void *batch[2];
  check(dlc_loader_start(loader, 0), NULL, "cannot start over the test set");
  while (check(dlc_loader_next(loader, &rows, batch), NULL, "cannot load a batch"), rows > 0) {
    dlc_metrics metrics;
    check(resnet18_eval_step(model, rows, batch[0], batch[1], &metrics), model, "evaluation step");
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
  const char *training[] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
                            "data_batch_5.bin"};
  const char *test[] = {"test_batch.bin"};
  dlc_array images, labels, test_images, test_labels;
  read_set(&s, training, 5, &images, &labels);
  read_set(&s, test, 1, &test_images, &test_labels);
  dlc_loader *train_set = make_loader(&images, &labels, 1, s.seed);
  dlc_loader *test_set = make_loader(&test_images, &test_labels, 0, 0);
  int64_t batches = dlc_loader_batches(train_set);
  if (batches == 0)
    fail(s.data, "fewer training images than one batch");

  char error[1024];
  resnet18 *model;
  dlc_create_options options = {.struct_size = sizeof options,
                                .weights_path = s.weights,
                                .threads = s.threads,
                                .error = error,
                                .error_bytes = sizeof error};
  if (resnet18_create(&options, &model) != DLC_OK)
    fail("cannot create the model", error);
  if (s.resume)
    check(resnet18_load(model, s.resume), model, "cannot resume");
  for (int64_t epoch = resnet18_step_count(model) / batches; epoch < s.epochs; ++epoch) {
    double start = seconds(), loss = train_epoch(model, train_set, epoch, &s), time = seconds() - start;
    printf("epoch %lld: loss %.4f, %.2f s, test accuracy %.4f\n", (long long)epoch + 1, loss, time,
           test_accuracy(model, test_set));
    fflush(stdout);
    if (s.save)
      check(resnet18_save(model, s.save), model, "cannot save");
  }

  resnet18_destroy(model);
  dlc_loader_destroy(test_set);
  dlc_loader_destroy(train_set);
  dlc_array_free(&test_labels);
  dlc_array_free(&test_images);
  dlc_array_free(&labels);
  dlc_array_free(&images);
  return 0;
}
