//===- NNOps.td - all operations of the nn dialect -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_OPS
#define DLC_NN_OPS

// A line for each file <Family>Ops.td of this folder (tools/cmake/DlcFamilies.cmake).
include "dialects/nn/Families.td"

#endif
