/* Trains the shipped model for some steps on shipped images, which are compressed, and prints the loss. */
#include "net.h"

#include <stdio.h>

static int fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  return 1;
}

static int read(const char *folder, const char *name, const dlc_scaling *scaling, dlc_array *array) {
  char path[1000], error[500];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return dlc_read_idx(path, scaling, array, error, sizeof error) == DLC_OK ? 0 : fail(path, error);
}

int main(int argc, char **argv) {
  dlc_scaling pixels = {1 / 255.0f, 0.2860f, 0.3530f};
  dlc_array images = {0}, labels = {0};
  if (argc != 2 || read(argv[1], "t10k-images-idx3-ubyte.gz", &pixels, &images) ||
      read(argv[1], "t10k-labels-idx1-ubyte.gz", NULL, &labels))
    return 1;
  net *model = NULL;
  char error[500];
  dlc_create_options options = {0};
  options.struct_size = sizeof options;
  options.error = error;
  options.error_bytes = sizeof error;
  if (net_create(&options, &model) != DLC_OK)
    return fail("create", error);
  float first = 0, loss = 0;
  for (int step = 0; step < 20; ++step) {
    const float *rows = (const float *)images.data + step * 64 * 784;
    if (net_train_step(model, rows, (const int64_t *)labels.data + step * 64, &loss) != DLC_OK)
      return fail("train_step", net_last_error(model));
    if (step == 0)
      first = loss;
  }
  printf("loss %.4f, then %.4f\n", first, loss);
  net_destroy(model);
  dlc_array_free(&images);
  dlc_array_free(&labels);
  return loss < 0.7f * first ? 0 : fail("training", "the loss did not fall");
}
