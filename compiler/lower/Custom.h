//===- Custom.h - operations of users become calls of their functions ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LOWER_CUSTOM_H
#define DLC_COMPILER_LOWER_CUSTOM_H

#include "compiler/lower/Lowering.h"
#include "dialects/train/Custom.h"

namespace dlc::lower {

/// A use of a user's function becomes its call; failure, with an error, where shapes do not fit.
mlir::LogicalResult lowerCustom(train::CustomOp op, Lowering &lowering);

} // namespace dlc::lower

#endif // DLC_COMPILER_LOWER_CUSTOM_H
