//===- Generics.h - questions about linalg.generics ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fuser asks about operations: of which kind they are, what they cost, and how they read their
// operands. The parallel loops of a generic come first; results are written in the order of these loops
// (docs/rationale/fusion.md).
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_GENERICS_H
#define DLC_COMPILER_FUSE_GENERICS_H

#include "dialects/nn/Dims.h"
#include "dialects/train/DimNames.h"
#include "dialects/train/Reductions.h"
#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dlc::fuse {

using llvm::ArrayRef, llvm::SmallVector, llvm::StringRef;
using mlir::AffineMap, mlir::Operation, mlir::OpOperand, mlir::OpResult, mlir::Value, mlir::ValueRange;
using mlir::linalg::GenericOp;
using train::dimNames, train::isContraction, train::isDepthwise, train::isProduct, train::shapeOf;

/// Only parallel loops.
bool isElementwise(GenericOp op);
/// Reads neighbours along its last parallel loop as neighbours in memory, or as neighbours a stride apart: a
/// sum over leading dims, or over windows.
bool sumsColumns(GenericOp op);
/// Yields one operand as it is: a transpose, broadcast or slice.
bool isMove(GenericOp op);
/// Dynamic dims count as this: their bounds are batch sizes.
inline constexpr int64_t typicalDynamicSize = 64;
/// Sizes of the loops; a dynamic dim counts as the typical size.
SmallVector<int64_t> loopSizes(GenericOp op);
/// How many of the first loops `map` gives as its first results: d0, d1, ...
unsigned identityPrefix(AffineMap map);
/// Tensors that the body reads by tensor.extract.
llvm::SetVector<Value> capturedTensors(GenericOp op);
/// Operations that `value`, computed in the body of `op`, needs.
llvm::SetVector<Operation *> bodySlice(GenericOp op, Value value);
/// Few simple operations: computing them again costs less than memory.
bool isCheap(const llvm::SetVector<Operation *> &slice);
/// Whether maps tell the extents of all loops.
bool knowsAllLoops(ArrayRef<AffineMap> maps);
/// The map without what a layout cuts dims into: (d1 floordiv 32, d0, d1 mod 32) becomes (d0, d1).
AffineMap withoutCuts(AffineMap map);
/// The words of both, each once.
std::string joinDocs(StringRef first, StringRef second);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_GENERICS_H
