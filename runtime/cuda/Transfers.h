//===- Transfers.h --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves values between the host and a GPU, behind all that has been started: piece by piece through the
// pinned window, so that it needs no memory however large a tensor is.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CUDA_TRANSFERS_H
#define DLC_RUNTIME_CUDA_TRANSFERS_H

#include "runtime/cuda/CudaDevice.h"

namespace dlc::runtime::cuda {

void store(Device &device, const dlc_symbol &symbol, const dlc_placement &placement, const void *logical);
void fetch(Device &device, const dlc_symbol &symbol, const dlc_placement &placement, void *logical);

void *allocate(Device &device, uint64_t bytes);
void release(Device &device, void *memory);
void copy(Device &device, void *to, const void *from, uint64_t bytes);
void exchange(Device &device, void *one, void *other, uint64_t bytes);
bool areAllFinite(Device &device, uint32_t dtype, const void *values, uint64_t count);

} // namespace dlc::runtime::cuda

#endif
