//===- Rewrite.h - rewrites that make one generic of several ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_REWRITE_H
#define DLC_COMPILER_FUSE_REWRITE_H

#include "compiler/fuse/Generics.h"

namespace dlc::fuse {

/// Whether the generic that `operand` belongs to can compute the operand's elements itself.
bool canInline(OpOperand &operand);
/// Computes the operand's elements in the body of its user. Gives the new user; the old one is gone, and so
/// is the producer if nothing else uses it.
GenericOp inlineProducer(OpOperand &operand);

/// One elementwise generic of several over the same loops, in their order; each result of which has users
/// outside is a result of the new one, which is put where the last of them is. The old ones are gone.
GenericOp mergeElementwise(ArrayRef<GenericOp> ops);

/// Makes few generics of those in `block`: elementwise ones over the same loops become one, cheap producers
/// are computed where they are read.
void fuseGenerics(mlir::Block &block);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_REWRITE_H
