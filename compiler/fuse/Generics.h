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

#include "compiler/analysis/Reductions.h"
#include "dialects/nn/Dims.h"
#include "dialects/train/DimNames.h"
#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dlc::fuse {

using analysis::isContraction, analysis::isDepthwise, analysis::isProduct;
using llvm::ArrayRef, llvm::SmallVector, llvm::StringRef;
using mlir::AffineMap, mlir::Operation, mlir::OpOperand, mlir::OpResult, mlir::Value, mlir::ValueRange;
using mlir::linalg::GenericOp;
using train::dimNames, train::shapeOf;

/// Whether the elements are float32.
bool isF32(Value tensor);
/// Whether all loops are parallel.
bool isElementwise(GenericOp op);
/// Whether the generic sums over leading dims, or over windows: it reads neighbours along its last parallel
/// loop as neighbours in memory, or a stride apart.
bool sumsColumns(GenericOp op);
/// Whether the generic yields one operand as it is: a transpose, broadcast or slice.
bool isMove(GenericOp op);
/// The size that a dynamic dim counts as, since its bound is a batch size.
inline constexpr int64_t typicalDynamicSize = 64;
/// The sizes of the loops; a dynamic dim counts as the typical size.
SmallVector<int64_t> loopSizes(GenericOp op);
/// The length of the identity prefix of `map`: how many of its first results are d0, d1, ... in this order.
unsigned identityPrefix(AffineMap map);
/// The tensors that the body reads by tensor.extract.
llvm::SetVector<Value> capturedTensors(GenericOp op);
/// The operations in the body of `op` that compute `value`, in order.
llvm::SetVector<Operation *> bodySlice(GenericOp op, Value value);
/// Whether these are few simple operations: computing them again costs less than storing and loading their
/// result.
bool isCheap(const llvm::SetVector<Operation *> &slice);
/// Whether the maps tell the extents of all loops.
bool knowsAllLoops(ArrayRef<AffineMap> maps);
/// The map without what a layout cuts dims into: (d1 floordiv 32, d0, d1 mod 32) becomes (d0, d1).
AffineMap withoutCuts(AffineMap map);
/// Both docs as one, with each word once.
std::string joinDocs(StringRef first, StringRef second);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_GENERICS_H
