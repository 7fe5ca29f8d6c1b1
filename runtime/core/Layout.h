//===- Layout.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parameter's logical form (what users and files see) and its physical form (what the kernels read):
// the physical one is the logical one with its dims permuted, and its last one perhaps cut into panels.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_LAYOUT_H
#define DLC_RUNTIME_CORE_LAYOUT_H

#include "dlc/abi.h"

namespace dlc::runtime {

/// True if both forms are the same bytes.
bool isRowMajor(const dlc_symbol &symbol, const dlc_placement &placement);

/// Bytes of the logical form.
size_t logicalBytes(const dlc_symbol &symbol);

/// Both give exactly the bytes of the other form; they round nothing.
void logicalToPhysical(const dlc_symbol &symbol, const dlc_placement &placement, const void *logical,
                       void *physical);
void physicalToLogical(const dlc_symbol &symbol, const dlc_placement &placement, const void *physical,
                       void *logical);

} // namespace dlc::runtime

#endif
