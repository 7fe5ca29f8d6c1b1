//===- Nonzero.h - which iterations of an operation count ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction that reads an operand padded with zeros may say where its loops meet the padding: all terms
// outside of this set are zero, so that code may leave them out. Operations of a kernel of steps say the same
// of terms that a mask makes zero, and of iterations whose results no other operation needs. The set is over
// the operation's loops; whoever changes these changes it, or drops it. It stands in the dialect's attribute
// `train.nonzero`, whose verifier (Facts.cpp) knows how many loops there are.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_NONZERO_H
#define DLC_DIALECTS_TRAIN_NONZERO_H

#include "dialects/train/Train.h"
#include "mlir/IR/IntegerSet.h"
#include <optional>

namespace train {

/// Null where nothing is known.
inline mlir::IntegerSet nonzeroTerms(mlir::Operation *op) {
  mlir::IntegerSetAttr attribute = TrainDialect::NonzeroAttrHelper(op->getContext()).getAttr(op);
  return attribute ? attribute.getValue() : mlir::IntegerSet();
}

/// Each expression, of `numLoops` loops, is at least 0.
inline void setNonzeroTerms(mlir::Operation *op, llvm::ArrayRef<mlir::AffineExpr> atLeastZero,
                            unsigned numLoops) {
  if (!atLeastZero.empty())
    TrainDialect::NonzeroAttrHelper(op->getContext())
        .setAttr(op, mlir::IntegerSetAttr::get(mlir::IntegerSet::get(
                         numLoops, 0, atLeastZero, llvm::SmallVector<bool>(atLeastZero.size(), false))));
}

inline void dropNonzeroTerms(mlir::Operation *op) {
  op->removeAttr(TrainDialect::NonzeroAttrHelper::getNameStr());
}

/// Where the position along the one loop is at most `offset` beyond that along the other.
struct Triangle {
  int64_t upTo, beyond, offset;
  bool operator==(const Triangle &other) const {
    return upTo == other.upTo && beyond == other.beyond && offset == other.offset;
  }
  bool operator!=(const Triangle &other) const { return !(*this == other); }
};

inline void setTriangle(mlir::Operation *op, Triangle triangle, unsigned numLoops) {
  auto dim = [&](int64_t loop) { return mlir::getAffineDimExpr(loop, op->getContext()); };
  setNonzeroTerms(op, {dim(triangle.upTo) - dim(triangle.beyond) + triangle.offset}, numLoops);
}

/// The triangle, where the set is one.
inline std::optional<Triangle> triangleOf(mlir::Operation *op) {
  mlir::IntegerSet set = nonzeroTerms(op);
  if (!set || set.getNumConstraints() != 1)
    return std::nullopt;
  llvm::SmallVector<int64_t> loops;
  for (unsigned loop = 0; loop < set.getNumDims(); ++loop)
    if (set.getConstraint(0).isFunctionOfDim(loop))
      loops.push_back(loop);
  if (loops.size() != 2)
    return std::nullopt;
  auto dim = [&](int64_t loop) { return mlir::getAffineDimExpr(loop, op->getContext()); };
  for (auto [upTo, beyond] : {std::pair{loops[0], loops[1]}, std::pair{loops[1], loops[0]}}) {
    mlir::AffineExpr rest =
        mlir::simplifyAffineExpr(set.getConstraint(0) - dim(upTo) + dim(beyond), set.getNumDims(), 0);
    if (auto offset = mlir::dyn_cast<mlir::AffineConstantExpr>(rest))
      return Triangle{upTo, beyond, offset.getValue()};
  }
  return std::nullopt;
}

} // namespace train

#endif // DLC_DIALECTS_TRAIN_NONZERO_H
