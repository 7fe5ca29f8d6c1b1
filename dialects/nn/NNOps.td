//===- NNOps.td - all operations of the nn dialect -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_OPS
#define DLC_NN_OPS

include "dialects/nn/ElementwiseOps.td"
include "dialects/nn/LinearOps.td"
include "dialects/nn/ConvOps.td"
include "dialects/nn/ReductionOps.td"
include "dialects/nn/NormalizationOps.td"
include "dialects/nn/PoolOps.td"
include "dialects/nn/ShapeOps.td"
include "dialects/nn/RandomOps.td"
include "dialects/nn/LossOps.td"

#endif
