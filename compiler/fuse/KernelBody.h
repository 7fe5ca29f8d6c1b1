//===- KernelBody.h - loop nests as the body of a kernel --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_KERNELBODY_H
#define DLC_COMPILER_FUSE_KERNELBODY_H

#include "compiler/fuse/Generics.h"

namespace dlc::fuse {

/// The values that nests of a block read of others, and those that others read of them.
struct Interface {
  llvm::SetVector<Value> inputs;
  SmallVector<OpResult> outputs;
};
Interface interfaceOf(ArrayRef<GenericOp> ops);

/// A kernel, outside of the program, whose body has copies of the nests, one step after the other. Its
/// arguments and results are those of the interface.
train::KernelOp kernelOf(ArrayRef<SmallVector<GenericOp>> steps, const Interface &interface);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_KERNELBODY_H
