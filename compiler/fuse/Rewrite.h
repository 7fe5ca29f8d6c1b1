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

/// Merges reductions of the same elements into one, if neither needs the other.
void mergeSiblings(mlir::Block &block);

/// Where a value is rematerialized for products of the backward pass, lets a generic of the backward pass
/// that reads the same elements compute it as a second result.
void computeBeside(mlir::Block &block);

/// Where two results are elementwise functions of a product's result, and a reduction alone reads the first
/// of them, lets the product store its own result only, from which both are computed where they are read: if
/// the results have at least `nearBytes`, storing one tensor less pays.
void storeSourcesOnce(mlir::Block &block, int64_t nearBytes);

/// In a softmax's gradient, rowsum(P * dP) equals rowsum(O * dO), which needs no second product. Replaces the
/// first by the second.
void reuseRowSums(mlir::Block &block);

/// Reduces the number of generics in `block`: elementwise generics over the same loops become one, and cheap
/// producers are computed where they are read.
void fuseGenerics(mlir::Block &block);

/// Marks the iterations of generics that count, where masks make the other terms of sums zero; the elements
/// that only such terms read do not count either, so that their producers are marked as well.
void leaveOutMasked(mlir::Block &block);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_REWRITE_H
