/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Training steps in slices have the bits of whole steps, on any number of threads, whatever their budgets.
 * usage: slices DATA_FOLDER */
#include "training.h"

enum { steps = 20 };
static char expected[8 << 20], found[8 << 20];

static size_t state(mlp *model, char *to) {
  size_t bytes;
  check(mlp_save_to_memory(model, to, sizeof expected, &bytes), model, "save_to_memory");
  return bytes;
}

/* How many slices the steps took. */
static int64_t train_in_slices(mlp *model, const data_set *data, int64_t microseconds) {
  int64_t slices = 0;
  for (int64_t step = 0; step < steps; ++step) {
    int32_t done = 0;
    check(mlp_train_step_begin(model, batch_images(data, step), batch_labels(data, step)), model, "begin");
    while (!done) {
      static float scores[64 * 10];
      check(mlp_train_step_continue(model, microseconds, &done), model, "continue");
      ++slices;
      if (!done && mlp_predict(model, 64, batch_images(data, 0), scores) != DLC_BUSY)
        fail("a prediction between slices", "is not refused");
    }
  }
  return slices;
}

int main(int argc, char **argv) {
  if (argc != 2)
    fail("usage", "slices DATA_FOLDER");
  data_set data = read_data(argv[1]);
  mlp *model = create(1);
  float loss, sliced;
  train(model, &data, 0, steps);
  check(mlp_sync(model, &loss), model, "sync");
  const size_t bytes = state(model, expected);
  mlp_destroy(model);
  for (int32_t threads = 1; threads <= 3; ++threads)
    for (int64_t microseconds = 0; microseconds <= 100000000;
         microseconds += microseconds ? microseconds * 999 : 100) {
      model = create(threads);
      const int64_t slices = train_in_slices(model, &data, microseconds);
      check(mlp_sync(model, &sliced), model, "sync");
      if (state(model, found) != bytes || memcmp(expected, found, bytes) || loss != sliced)
        fail("a step in slices", "has other bits");
      if (microseconds == 0 ? slices < 18 * steps : slices < steps)
        fail("a step in slices", "has too few of them");
      if (microseconds > 1000000 && slices != steps)
        fail("a budget of minutes", "is not enough for a step");
      printf("ok   %d threads, %lld microseconds: %lld slices of %d steps\n", (int)threads,
             (long long)microseconds, (long long)slices, steps);
      mlp_destroy(model);
    }
  free_data(&data);
  return 0;
}
