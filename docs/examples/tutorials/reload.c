/* Predicts with trained weights, saves them, loads them again, and predicts the same bits.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fashion.h"

#include <stdio.h>
#include <string.h>

static float images[FASHION_BATCH * 784], scores[2][FASHION_BATCH * 10];

/* Predicts with the weights in a file, and writes them to another. */
static int predict(const char *weights, const char *copy, float *result) {
  char error[500];
  fashion *model;
  dlc_create_options options = {
      .struct_size = sizeof options, .weights_path = weights, .error = error, .error_bytes = sizeof error};
  if (fashion_create(&options, &model) != DLC_OK)
    return fprintf(stderr, "reload: %s\n", error), 1;
  dlc_status status = fashion_predict(model, FASHION_BATCH, images, result);
  if (status == DLC_OK)
    status = fashion_save_weights(model, copy);
  if (status != DLC_OK)
    fprintf(stderr, "reload: %s\n", fashion_last_error(model));
  fashion_destroy(model);
  return status != DLC_OK;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return fprintf(stderr, "usage: reload WEIGHTS IMAGES\n"), 1;
  const dlc_scaling pixels = {.scale = 1 / 255.0, .mean = 0, .deviation = 1};
  char error[500];
  dlc_array file;
  if (dlc_read_idx(argv[2], &pixels, &file, error, sizeof error) != DLC_OK)
    return fprintf(stderr, "reload: %s\n", error), 1;
  if (file.bytes < sizeof images)
    return fprintf(stderr, "reload: %s: fewer than %d images of 28x28 pixels\n", argv[2], FASHION_BATCH), 1;
  memcpy(images, file.data, sizeof images);
  dlc_array_free(&file);
  if (predict(argv[1], "copy.safetensors", scores[0]) || predict("copy.safetensors", "copy2.safetensors", scores[1]))
    return 1;
  printf("the predictions of the copy %s\n",
         memcmp(scores[0], scores[1], sizeof scores[0]) == 0 ? "are the same" : "differ");
  return memcmp(scores[0], scores[1], sizeof scores[0]) != 0;
}
