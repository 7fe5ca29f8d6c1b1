//===- Train.td - all of the train dialect, for its documentation ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
include "dialects/train/CustomOps.td"
include "dialects/train/MoreOptimizerOps.td"
include "dialects/train/TrainOps.td"
