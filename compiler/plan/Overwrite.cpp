//===- Overwrite.cpp - may a result be written where an operand lies? ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of the order in which a kernel runs: the iterations of its shared loops come in any order, at
// the same time and in groups (lanes, tiles); within one of them the operations run one after the other, and
// the iterations of an operation's own parallel loops again in any order. Each of these reads all that it
// needs before it writes. So a read and a write of one element are in order if they belong to the same
// iteration of the shared loops and the reader comes first, or to the same iteration of one operation. That
// no other pair exists is a question of linear integer constraints.
//===----------------------------------------------------------------------===//
#include "compiler/plan/Overwrite.h"
#include "dialects/train/Custom.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace dlc::plan {
namespace {

/// An operand or a result of a generic, with the generic's loops.
struct Access {
  linalg::GenericOp op;
  AffineMap map;
};

/// The pairs (iteration of the reader, iteration of the writer) that touch the same element. Variables: the
/// reader's loops, the writer's loops, the element's place.
class SameElement {
public:
  SameElement(Access read, Access write)
      : readLoops(read.map.getNumDims()), writeLoops(write.map.getNumDims()), rank(read.map.getNumResults()),
        pairs(readLoops + writeLoops + rank) {
    bound(read.op, 0);
    bound(write.op, readLoops);
    place(read.map, 0);
    place(write.map, readLoops);
  }

  /// Whether all maps are linear; nothing is known otherwise.
  bool isKnown() const { return known; }
  bool isEmpty() const { return pairs.isIntegerEmpty(); }
  /// Whether the reader's loop and the writer's have the same value in all pairs.
  bool agreeOn(unsigned readLoop, unsigned writeLoop) const {
    for (int64_t sign : {-1, 1}) {
      FlatLinearConstraints differing = pairs;
      SmallVector<int64_t> row(differing.getNumCols(), 0); // sign * (read - write) - 1 >= 0
      row[readLoop] = sign;
      row[readLoops + writeLoop] = -sign;
      row.back() = -1;
      differing.addInequality(row);
      if (!differing.isIntegerEmpty())
        return false;
    }
    return true;
  }

private:
  void bound(linalg::GenericOp op, unsigned first) {
    for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
      pairs.addBound(presburger::BoundType::LB, first + loop, 0);
      if (!ShapedType::isDynamic(extent))
        pairs.addBound(presburger::BoundType::UB, first + loop, extent - 1);
    }
  }
  /// Adds the equations that say that the element has the indices that `map` gives; the map's loops begin at
  /// variable `first`.
  void place(AffineMap map, unsigned first) {
    for (auto [axis, expr] : llvm::enumerate(map.shiftDims(first).getResults())) {
      auto whole = AffineMap::get(pairs.getNumDimVars(), 0, expr);
      if (failed(pairs.addBound(presburger::BoundType::EQ, readLoops + writeLoops + axis, whole)))
        known = false;
    }
  }

  unsigned readLoops, writeLoops, rank;
  FlatLinearConstraints pairs;
  bool known = true;
};

/// Whether both maps have the loop, alone, at one axis: then an element tells the loop's value.
bool haveAtSameAxis(AffineMap read, AffineMap write, unsigned loop) {
  auto dim = getAffineDimExpr(loop, read.getContext());
  return read.getNumResults() == write.getNumResults() &&
         llvm::any_of(llvm::zip(read.getResults(), write.getResults()),
                      [&](auto axes) { return std::get<0>(axes) == dim && std::get<1>(axes) == dim; });
}

bool isInOrder(Access read, Access write, unsigned shared) {
  bool readsFirst = read.op == write.op || read.op->isBeforeInBlock(write.op);
  // Within one operation, the loops of a result are its parallel loops, which come first.
  auto loops = llvm::seq(read.op == write.op ? read.op.getNumParallelLoops() : shared);
  // Most maps are plain, and what follows would come to the same result in more time.
  if (readsFirst &&
      llvm::all_of(loops, [&](unsigned loop) { return haveAtSameAxis(read.map, write.map, loop); }))
    return true;
  SameElement pairs(read, write);
  if (!pairs.isKnown())
    return false;
  return pairs.isEmpty() ||
         (readsFirst && llvm::all_of(loops, [&](unsigned loop) { return pairs.agreeOn(loop, loop); }));
}

} // namespace

/// What the user says of a function cannot be proved; rows that are computed apart are apart in all its
/// tensors.
static bool isInplacePair(train::CustomCallOp call, int64_t operand, int64_t result) {
  ArrayRef<int64_t> pairs = call.definition().getInplace().value_or(ArrayRef<int64_t>());
  for (size_t i = 0; i + 1 < pairs.size(); i += 2)
    if (pairs[i] == operand && pairs[i + 1] == result)
      return true;
  return false;
}

bool readsBeforeItWrites(train::KernelOp kernel, unsigned operand, unsigned result) {
  Block &body = kernel.getBody().front();
  if (auto call = dyn_cast<train::CustomCallOp>(body.front()))
    return isInplacePair(call, operand, result);
  BlockArgument input = body.getArgument(operand);
  auto output = dyn_cast<OpResult>(body.getTerminator()->getOperand(result));
  auto writer = output ? output.getDefiningOp<linalg::GenericOp>() : linalg::GenericOp();
  // Tensors of another element size or shape do not have the same elements at the same addresses.
  if (!writer || input.getType() != output.getType())
    return false;
  Access write{writer, writer.getMatchingIndexingMap(writer.getDpsInitOperand(output.getResultNumber()))};
  unsigned shared = kernel.getShared().value_or(0);
  return llvm::all_of(input.getUses(), [&](OpOperand &use) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    // Any other user of an argument reads it at computed positions.
    return reader && isInOrder({reader, reader.getMatchingIndexingMap(&use)}, write, shared);
  });
}

} // namespace dlc::plan
