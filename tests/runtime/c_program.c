/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A C program that uses the parts of the runtime which a training program uses. Linked like a user's, it
 * shows that these need no C++ library. */
#include "dlc/abi.h"

#include <stdio.h>

static void scale(void *const *buffers, const int64_t *dims, int64_t begin, int64_t end) {
  (void)dims, (void)begin, (void)end;
  *(float *)buffers[2] = *(const float *)buffers[0] * *(const float *)buffers[1];
}

int main(void) {
  static const float two = 2;
  static const dlc_symbol weight = {
      .name = "w", .kind = DLC_PARAMETER, .dtype = DLC_F32, .trainable = 1, .initial = &two};
  static const dlc_input x = {.name = "x", .dtype = DLC_F32};
  static const dlc_output y = {.name = "y", .role = DLC_OUTPUT_PREDICTION, .dtype = DLC_F32};
  static const dlc_placement placement = {.bytes = 4};
  static const dlc_kernel_info kernel = {.name = "scale", .function = scale, .chunks = 1};
  static const dlc_launch launch = {.kernel = 0, .place_count = 3};
  static const dlc_place places[] = {DLC_PLACE(DLC_PLACE_STATE, 0, 0), DLC_PLACE(DLC_PLACE_INPUT, 0, 0),
                                     DLC_PLACE(DLC_PLACE_OUTPUT, 0, 0)};
  static const dlc_function functions[DLC_FUNCTIONS] = {
      [DLC_PREDICT] = {.launches = &launch, .launch_count = 1, .places = places, .place_count = 3}};
  static const dlc_target target = {.kind = DLC_TARGET_CPU,
                                    .arena_bytes = 64,
                                    .placements = &placement,
                                    .kernels = &kernel,
                                    .kernel_count = 1,
                                    .functions = functions};
  static const dlc_model model = {.abi_version = DLC_ABI_VERSION,
                                  .functions = 1u << DLC_PREDICT,
                                  .name = "scale",
                                  .fingerprint = 1,
                                  .symbols = &weight,
                                  .symbol_count = 1,
                                  .inputs = &x,
                                  .input_count = 1,
                                  .outputs = &y,
                                  .output_count = 1,
                                  .targets = &target,
                                  .target_count = 1};
  dlc_instance *instance;
  dlc_create_options options = {.struct_size = sizeof options, .threads = 2};
  if (dlc_instance_create(&model, DLC_ABI_VERSION, 1, &options, &instance) != DLC_OK)
    return 1;
  float in = 3, out = 0;
  const void *inputs[] = {&in};
  void *outputs[] = {&out};
  dlc_status status = dlc_instance_predict(instance, 1, NULL, inputs, outputs);
  dlc_status saving = dlc_instance_save(instance, "/nonexistent/folder/file");
  dlc_instance_destroy(instance);

  dlc_array array;
  char error[256];
  dlc_status reading = dlc_read_idx("/nonexistent.gz", NULL, &array, error, sizeof error);
  dlc_loader *loader = NULL;
  dlc_status loading = dlc_loader_create(NULL, 0, NULL, &loader);
  dlc_progress *progress = NULL;
  dlc_status showing = dlc_progress_create("c", 1, &progress);
  dlc_progress_destroy(progress);
  printf("%g: %s, %s, %s\n", out, dlc_status_string(status), dlc_status_string(saving), error);
  return !(status == DLC_OK && out == 6 && saving == DLC_IO_ERROR && reading == DLC_IO_ERROR &&
           loading == DLC_INVALID_ARGUMENT && showing == DLC_OK);
}
