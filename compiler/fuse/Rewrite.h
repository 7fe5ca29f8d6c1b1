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
/// Computes the operand's elements in the body of its user. Returns the new user. Erases the old one, and the
/// producer, too, if nothing else uses it.
GenericOp inlineProducer(OpOperand &operand);

/// Makes one generic of several over the same loops, in their order: elementwise ones, or reductions of which
/// none reads another. Results with users outside become results of the new generic, which takes the place of
/// the last one. The old generics are erased.
GenericOp mergeLoops(ArrayRef<GenericOp> ops);

/// Reductions of the same elements become one, if neither needs the other.
void mergeSiblings(mlir::Block &block);

/// What is computed again for products is made by a generic of the backward pass that reads the same
/// elements.
void computeBeside(mlir::Block &block);

/// Where a product would store two results that are made of one, of which a sum alone reads the first, it
/// stores that one, if results are as large as `nearBytes`.
void storeSourcesOnce(mlir::Block &block, int64_t nearBytes);

/// Sums over rows of elements, each of which is a product with an element that a product of matrices makes,
/// are made of the rows of another product, where that has weighed the same operand with the other factors.
void multiplyRows(mlir::Block &block);

/// Reduces the number of generics in `block`: elementwise generics over the same loops become one, and cheap
/// producers are computed where they are read.
void fuseGenerics(mlir::Block &block);

/// Says of generics which of their iterations count, where masks make terms of sums nothing; what only such
/// terms read counts no more either.
void leaveOutMasked(mlir::Block &block);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_REWRITE_H
