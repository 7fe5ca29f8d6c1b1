/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A model touches no byte beyond what it is given: every function that takes memory is called with memory
 * that ends at a page which nobody may touch (guarded.h), for every number of rows from 1 to a batch.
 * usage: guards DATA_FOLDER */
#include "tests/guarded.h"
#include "training.h"

enum { columns = 784, classes = 10 };

static guarded make(const void *content, size_t bytes) {
  guarded memory = guarded_make(bytes, 0x33);
  if (!memory.data)
    fail("guarded memory", "there is none");
  if (content)
    memcpy(memory.data, content, bytes);
  return memory;
}

/* That nothing before it was written, and what was only read is as it was. */
static void release(guarded *memory, const void *content, const char *what) {
  if (!guarded_intact(memory))
    fail(what, "something was written before the memory given");
  if (content && memcmp(memory->data, content, memory->bytes) != 0)
    fail(what, "an input was changed");
  guarded_free(memory);
}

static void run_steps(mlp *model, const data_set *data) {
  for (int64_t step = 0; step < 4; ++step) {
    const void *x = batch_images(data, step), *y = batch_labels(data, step);
    guarded images = make(x, sizeof(float) * MLP_BATCH * columns),
            labels = make(y, sizeof(int64_t) * MLP_BATCH);
    guarded loss = make(NULL, sizeof(float));
    const float *xs = (const float *)(const void *)images.data;
    const int64_t *ys = (const int64_t *)(const void *)labels.data;
    float *to = (float *)(void *)loss.data;
    check(mlp_train_step(model, xs, ys, to), model, "train_step");
    check(mlp_grad_step(model, xs, ys, to), model, "grad_step");
    check(mlp_accumulate(model, xs, ys, to), model, "accumulate");
    check(mlp_apply(model), model, "apply");
    release(&images, x, "a step's images");
    release(&labels, y, "a step's labels");
    release(&loss, NULL, "a step's loss");
  }
  printf("ok   steps\n");
}

/* Rows give the same numbers in a batch of any size: only then are fewer of them computed, not others. */
static void run_rows(mlp *model, const data_set *data) {
  static float all[MLP_BATCH * classes];
  const float *x = batch_images(data, 0);
  const int64_t *y = batch_labels(data, 0);
  check(mlp_predict(model, MLP_BATCH, x, all), model, "predict");
  for (int64_t rows = 1; rows <= MLP_BATCH; ++rows) {
    size_t count = (size_t)rows;
    guarded images = make(x, sizeof(float) * count * columns), labels = make(y, sizeof(int64_t) * count);
    guarded scores = make(NULL, sizeof(float) * count * classes), metrics = make(NULL, sizeof(dlc_metrics));
    const float *xs = (const float *)(const void *)images.data;
    check(mlp_predict(model, rows, xs, (float *)(void *)scores.data), model, "predict");
    check(mlp_eval_step(model, rows, xs, (const int64_t *)(const void *)labels.data,
                        (dlc_metrics *)(void *)metrics.data),
          model, "eval_step");
    if (((dlc_metrics *)(void *)metrics.data)->count != rows)
      fail("eval_step", "the wrong number of rows");
    for (size_t i = 0; i < count * classes; ++i) {
      float score;
      memcpy(&score, scores.data + i * sizeof score, sizeof score);
      float error = score - all[i];
      if (!(error <= 1e-5f && error >= -1e-5f))
        fail("predict", "a row depends on the number of rows");
    }
    release(&images, x, "images");
    release(&labels, y, "labels");
    release(&scores, NULL, "scores");
    release(&metrics, NULL, "metrics");
  }
  printf("ok   1 to %d rows\n", (int)MLP_BATCH);
}

static void run_parameters(mlp *model) {
  for (int64_t i = 0; i < mlp_parameter_count(model); ++i) {
    dlc_parameter_info info;
    check(mlp_parameter_info(model, i, &info), model, "parameter_info");
    guarded value = make(NULL, info.bytes), gradient = make(NULL, info.bytes);
    check(mlp_parameter_read(model, info.name, value.data, info.bytes), model, "parameter_read");
    check(mlp_parameter_write(model, info.name, value.data, info.bytes), model, "parameter_write");
    check(mlp_gradient_read(model, info.name, gradient.data, info.bytes), model, "gradient_read");
    release(&value, NULL, info.name);
    release(&gradient, NULL, info.name);
  }
  printf("ok   parameters and gradients\n");
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  data_set data = read_data(argv[1]);
  /* The arena too may be the caller's. */
  guarded arena = make(NULL, (MLP_ARENA_BYTES + 63) / 64 * 64);
  for (int32_t threads = 1; threads <= 2; ++threads) {
    mlp *model;
    dlc_create_options options = {
        .struct_size = sizeof options, .threads = threads, .arena = arena.data, .arena_bytes = arena.bytes};
    check(mlp_create(&options, &model), NULL, "mlp_create");
    run_steps(model, &data);
    run_rows(model, &data);
    run_parameters(model);
    mlp_destroy(model);
  }
  release(&arena, NULL, "the arena");
  free_data(&data);
  return 0;
}
