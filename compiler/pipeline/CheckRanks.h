//===- CheckRanks.h - samples that other ranks have ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_CHECKRANKS_H
#define DLC_COMPILER_PIPELINE_CHECKRANKS_H

#include "mlir/Pass/Pass.h"

namespace dlc::pipeline {

/// Behind the stage lower: an error where a program for ranks (train::isOfRank) has samples of a batch meet
/// before the loss, as then a rank would need those of the others. Other programs are left alone.
std::unique_ptr<mlir::Pass> createCheckRanks();

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_CHECKRANKS_H
