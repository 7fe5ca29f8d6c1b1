//===- Limits.h - what a compiled model may need of memory and of the disk -===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slip in a size, such as a zero too many, must not show when the program is run and its machine stands
// still.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_LIMITS_H
#define DLC_COMPILER_PIPELINE_LIMITS_H

#include "dialects/train/Train.h"

namespace dlc::pipeline {

/// A small file may say that a weight is one number, repeated so often that the file of weights fills the
/// disk.
mlir::LogicalResult checkRepeatedValues(train::ProgramOp program);

/// An error where a planned program needs more memory than `most` GiB, which --max-memory sets.
mlir::LogicalResult checkMemory(train::ProgramOp program, double most);

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_LIMITS_H
