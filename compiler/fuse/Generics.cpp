//===- Generics.cpp - questions about linalg.generics ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Generics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace arith = mlir::arith;

namespace dlc::fuse {

bool isF32(Value tensor) { return mlir::getElementTypeOrSelf(tensor.getType()).isF32(); }

bool isElementwise(GenericOp op) { return op.getNumReductionLoops() == 0; }

bool sumsColumns(GenericOp op) {
  if (isElementwise(op))
    return false;
  AffineMap widest;
  for (OpOperand *input : op.getDpsInputOperands())
    if (AffineMap map = op.getMatchingIndexingMap(input);
        !widest || map.getNumResults() > widest.getNumResults())
      widest = map;
  unsigned parallel = op.getNumParallelLoops();
  return widest && parallel > 0 && widest.getResults().back().isFunctionOfDim(parallel - 1);
}

bool isMove(GenericOp op) {
  auto yield = mlir::cast<mlir::linalg::YieldOp>(op.getBody()->getTerminator());
  return isElementwise(op) && op.getNumDpsInputs() == 1 && op.getNumResults() == 1 &&
         yield.getValues()[0] == op.getBody()->getArgument(0);
}

SmallVector<int64_t> loopSizes(GenericOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (int64_t &size : sizes)
    if (mlir::ShapedType::isDynamic(size))
      size = typicalDynamicSize;
  return sizes;
}

unsigned identityPrefix(AffineMap map) {
  unsigned prefix = 0;
  while (prefix < map.getNumResults() && prefix < map.getNumDims() &&
         map.getResult(prefix) == mlir::getAffineDimExpr(prefix, map.getContext()))
    ++prefix;
  return prefix;
}

AffineMap withoutCuts(AffineMap map) {
  SmallVector<mlir::AffineExpr> results;
  for (mlir::AffineExpr expr : map.getResults()) {
    auto piece = mlir::dyn_cast<mlir::AffineBinaryOpExpr>(expr);
    if (piece && piece.getKind() == mlir::AffineExprKind::FloorDiv)
      continue;
    results.push_back(piece && piece.getKind() == mlir::AffineExprKind::Mod ? piece.getLHS() : expr);
  }
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

llvm::SetVector<Value> capturedTensors(GenericOp op) {
  llvm::SetVector<Value> captured;
  op.getBody()->walk([&](mlir::tensor::ExtractOp extract) { captured.insert(extract.getTensor()); });
  return captured;
}

llvm::SetVector<Operation *> bodySlice(GenericOp op, Value value) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> queue{value};
  while (!queue.empty()) {
    Operation *producer = queue.pop_back_val().getDefiningOp();
    if (producer && producer->getBlock() == op.getBody() && needed.insert(producer))
      llvm::append_range(queue, producer->getOperands());
  }
  // The operations are in the order of the body, so that they can be cloned one after another.
  SmallVector<Operation *> ordered = needed.takeVector();
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  needed.insert(ordered.begin(), ordered.end());
  return needed;
}

bool isCheap(const llvm::SetVector<Operation *> &slice) {
  constexpr unsigned fewOperations = 4;
  unsigned count = 0;
  for (Operation *op : slice) {
    if (mlir::isa<arith::ConstantOp, mlir::linalg::IndexOp, arith::IndexCastOp>(op))
      continue;
    if (mlir::isa<mlir::math::MathDialect, train::TrainDialect, mlir::tensor::TensorDialect>(
            op->getDialect()) ||
        mlir::isa<arith::DivFOp, arith::DivSIOp, arith::RemSIOp>(op))
      return false;
    ++count;
  }
  return count <= fewOperations;
}

bool knowsAllLoops(ArrayRef<AffineMap> maps) {
  if (maps.empty())
    return true;
  return static_cast<bool>(mlir::inversePermutation(mlir::concatAffineMaps(maps, maps.front().getContext())));
}

std::string joinDocs(StringRef first, StringRef second) {
  SmallVector<StringRef> words, more;
  first.split(words, ' ', -1, /*KeepEmpty=*/false);
  second.split(more, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : more)
    if (!llvm::is_contained(words, word))
      words.push_back(word);
  return llvm::join(words, " ");
}

} // namespace dlc::fuse
