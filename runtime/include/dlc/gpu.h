/*===-- dlc/gpu.h - the GPUs of this machine --------------------------------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a program asks before it chooses where a model is (`device` of dlc_create_options): how many GPUs there
 * are, what they are called, and how much memory they have. The NVIDIA driver answers, which is opened at run
 * time; a machine without one has no GPU, and that is no error. The driver's own settings hold, such as the
 * variable CUDA_VISIBLE_DEVICES.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_GPU_H
#define DLC_GPU_H

#include "dlc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of GPUs that the driver has. They are called "gpu:0" (or "gpu"), "gpu:1" and so on. 0 where there is
 * no GPU, or no driver that this runtime can use: then `why` (may be NULL) receives a sentence that says which. */
int32_t dlc_gpu_count(char *why, size_t why_bytes);

/* The first GPU that is new enough for dlc's code, compute capability 8.0, or -1 where there is none and a program
 * uses the CPU. `why` (may be NULL) receives the GPU's name, or the sentence that says why there is none. */
int32_t dlc_gpu_best(char *why, size_t why_bytes);

/* Name and compute capability (80 is 8.0) of GPU `number`, from 0. Both
 * pointers may be NULL; a name that is longer than `name_bytes` is cut. `error` (may be NULL) receives a sentence.
 * DLC_UNSUPPORTED_DEVICE where there is no such GPU. */
dlc_status dlc_gpu_describe(int32_t number, char *name, size_t name_bytes, int32_t *capability, char *error,
                            size_t error_bytes);

/* All of the GPU's memory in bytes, and what of it is free at the moment, for all programs together. The first
 * question makes the driver prepare the GPU for this process, which can take some tenths of a second. Pointers may
 * be NULL. DLC_UNSUPPORTED_DEVICE where there is no such GPU, DLC_DEVICE_FAILED where it does not answer. */
dlc_status dlc_gpu_memory(int32_t number, uint64_t *total_bytes, uint64_t *free_bytes, char *error,
                          size_t error_bytes);

#ifdef __cplusplus
}
#endif
#endif
