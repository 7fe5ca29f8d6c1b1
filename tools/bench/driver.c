/* dlc's side of the benchmark: trains one compiled model, timing every step.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compiled by tools/bench/run with -DMODEL=<prefix> -DHEADER="<prefix>.h".
 * usage: driver THREADS BATCHES_FILE BATCH_COUNT INPUT_BYTES TARGET_BYTES WEIGHTS_FILE
 * Each line of standard input is a number of steps; the answer is a JSON line. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include HEADER

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define CALL(function) PASTE(MODEL, function)

static void fail(const char *what, const char *why) {
  fprintf(stderr, "driver: %s: %s\n", what, why);
  exit(1);
}

static double milliseconds(struct timespec start, struct timespec end) {
  return 1e3 * (double)(end.tv_sec - start.tv_sec) + 1e-6 * (double)(end.tv_nsec - start.tv_nsec);
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A field of /proc/self/status in MB: VmRSS is the memory in use, VmHWM its maximum so far. */
static double memory_mb(const char *field) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  long kilobytes = 0;
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, field, strlen(field)))
      kilobytes = strtol(line + strlen(field), NULL, 10);
  if (file)
    fclose(file);
  return (double)kilobytes / 1024;
}

static unsigned char *read_batches(const char *path, size_t bytes) {
  unsigned char *data = malloc(bytes);
  FILE *file = fopen(path, "rb");
  if (!data || !file || fread(data, 1, bytes, file) != bytes)
    fail(path, "cannot read the batches");
  fclose(file);
  return data;
}

int main(int argc, char **argv) {
  if (argc != 7)
    fail("usage", "driver THREADS BATCHES_FILE BATCH_COUNT INPUT_BYTES TARGET_BYTES WEIGHTS_FILE");
  long batches = atol(argv[3]);
  size_t input_bytes = (size_t)atol(argv[4]), target_bytes = (size_t)atol(argv[5]);
  size_t stride = input_bytes + target_bytes;
  const unsigned char *data = read_batches(argv[2], (size_t)batches * stride);

  double before = memory_mb("VmRSS:");
  MODEL *model;
  dlc_create_options options = {
      .struct_size = sizeof options, .weights_path = argv[6], .threads = (int32_t)atoi(argv[1])};
  dlc_status status = CALL(_create)(&options, &model);
  if (status != DLC_OK)
    fail("create", dlc_status_string(status));
  float loss;
  status = CALL(_train_step)(model, (const void *)data, (const void *)(data + input_bytes), &loss);
  if (status != DLC_OK)
    fail("first step", CALL(_last_error)(model));
  printf("{\"first_loss\": %.9g}\n", (double)loss);
  fflush(stdout);

  long steps, count = 1;
  while (scanf("%ld", &steps) == 1 && steps > 0) {
    double *times = malloc((size_t)steps * sizeof *times);
    if (!times)
      fail("steps", "out of memory");
    for (long i = 0; i < steps; ++i, ++count) {
      const unsigned char *batch = data + (size_t)(count % batches) * stride;
      struct timespec start, end;
      clock_gettime(CLOCK_MONOTONIC, &start);
      status = CALL(_train_step)(model, (const void *)batch, (const void *)(batch + input_bytes), &loss);
      clock_gettime(CLOCK_MONOTONIC, &end);
      times[i] = milliseconds(start, end);
      if (status != DLC_OK)
        fail("step", CALL(_last_error)(model));
    }
    qsort(times, (size_t)steps, sizeof *times, by_value);
    printf("{\"ms\": %.6f, \"loss\": %.9g, \"memory_mb\": %.1f}\n", times[steps / 2], (double)loss,
           memory_mb("VmHWM:") - before);
    fflush(stdout);
    free(times);
  }
  CALL(_destroy)(model);
  return 0;
}
