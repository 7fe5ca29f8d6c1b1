//===- Image.h - code of this machine for GPU kernels ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contract between the code that the compiler writes for the check without a GPU (DLC_IMAGE_SIMT) and the
// stand-in for the driver that runs it (tools/simt). No library of a user's has such code, and so this is no part
// of the runtime.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_SIMT_IMAGE_H
#define DLC_COMPILER_CODEGEN_GPU_SIMT_IMAGE_H

#include "dlc/abi.h"

/* What the code of a DLC_IMAGE_SIMT calls. `site` numbers the accesses of a kernel, and the barriers, ends of
 * groups and waits for them, for messages. */
typedef struct dlc_simt dlc_simt;
struct dlc_simt {
  uint32_t (*sreg)(const dlc_simt *, uint32_t which); /* dlc_simt_register */
  void *(*shared)(const dlc_simt *);                  /* the block's shared memory */
  void (*barrier)(const dlc_simt *, uint32_t site);
  void (*warp_barrier)(const dlc_simt *, uint32_t mask, uint32_t site);
  uint32_t (*shuffle)(const dlc_simt *, uint32_t kind, uint32_t mask, uint32_t value, uint32_t lane,
                      uint32_t clamp, uint32_t site); /* as PTX's shfl.sync.b32; dlc_simt_shuffle */
  void (*load)(const dlc_simt *, const void *address, uint32_t bytes, uint32_t site); /* before each access */
  void (*store)(const dlc_simt *, const void *address, uint32_t bytes, uint32_t site);
  /* As PTX's cp.async, with `source_bytes` that are read and zeros for the rest, cp.async.commit_group, and
   * cp.async.wait_group, after which at most `running` groups may be on their way. */
  void (*copy)(const dlc_simt *, void *to, const void *from, uint32_t bytes, uint32_t source_bytes,
               uint32_t site);
  void (*end_group)(const dlc_simt *, uint32_t site);
  void (*wait_for_groups)(const dlc_simt *, uint32_t running, uint32_t site);
  /* As PTX's ldmatrix.sync.aligned.m8n8.b16 of `count` matrices (1, 2 or 4), with .trans or without; `words`
   * receives as many. */
  void (*load_matrices)(const dlc_simt *, const void *row, uint32_t count, uint32_t transposed,
                        uint32_t *words, uint32_t site);
  /* Products of four warps, PTX's wgmma with bf16 or f16 (`dtype`): fence.proxy.async, wgmma.fence,
   * wgmma.mma_async.m64nNk16 with the descriptors of both operands (`by_steps`: not transposed) and a
   * thread's `count` sums (N / 2), which are no numbers until `results`; wgmma.commit_group, wgmma.wait_group
   * 0, and the same, which brings the sums. */
  void (*show_to_products)(const dlc_simt *, uint32_t site);
  void (*begin_products)(const dlc_simt *, uint32_t site);
  void (*multiply)(const dlc_simt *, uint32_t dtype, uint64_t left, uint64_t right, uint32_t left_by_steps,
                   uint32_t right_by_steps, float *sums, uint32_t count, uint32_t site);
  void (*end_products)(const dlc_simt *, uint32_t site);
  void (*wait_for_products)(const dlc_simt *, uint32_t site);
  void (*results)(const dlc_simt *, float *sums, uint32_t count, uint32_t site);
  /* A product of one warp, PTX's mma.sync.aligned.row.col: m16n8k16 of bf16 or f16, m16n8k8 of tf32 (`dtype`
   * is DLC_F32). A lane has six words, four of the left operand and two of the right one, and four sums. */
  void (*multiply_in_warp)(const dlc_simt *, uint32_t dtype, const uint32_t *words, float *sums,
                           uint32_t site);
};

typedef enum dlc_simt_register {
  DLC_SIMT_THREAD = 0,
  DLC_SIMT_BLOCK = 1,
  DLC_SIMT_BLOCK_SIZE = 2,
  DLC_SIMT_GRID_SIZE = 3,
  DLC_SIMT_LANE = 4
} dlc_simt_register;

typedef enum dlc_simt_shuffle {
  DLC_SIMT_UP = 0,
  DLC_SIMT_DOWN = 1,
  DLC_SIMT_XOR = 2,
  DLC_SIMT_INDEX = 3
} dlc_simt_shuffle;

typedef struct dlc_simt_kernel {
  const char *entry;
  void (*code)(const dlc_simt *, void *const *params); /* of one thread; each points at an argument */
  const dlc_operand *operands;                         /* those of the dlc_device_kernel */
  uint32_t operand_count;
  uint32_t shared_bytes; /* all that the kernel uses */
  uint32_t dim_count;    /* of the model */
  uint32_t reserved;
} dlc_simt_kernel;

/* Its last character counts the changes of dlc_simt, which no other image depends on. */
#define DLC_SIMT_MAGIC "DLCSIMT3"

typedef struct dlc_simt_image {
  char magic[8];
  uint64_t kernel_count;
  const dlc_simt_kernel *kernels;
} dlc_simt_image;

#endif // DLC_COMPILER_CODEGEN_GPU_SIMT_IMAGE_H
