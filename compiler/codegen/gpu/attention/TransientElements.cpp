//===- TransientElements.cpp - elements of transient matrices ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of the elements that a lane has: the kernel's own operations, at a point of their loops. What
// these read beside elements is mostly one number for each row of a matrix: that is read once for all its
// elements, before the loop where rows are what a block has.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/Reductions.h"
#include "compiler/codegen/gpu/attention/Transient.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/codegen/kernel/Narrow.h"

using namespace mlir;

namespace dlc::codegen::gpu {

/// Whether an operand has one number for each position of the kept side, or (false) of the other one.
std::optional<bool> TransientCode::isOfRows(OpOperand &operand) {
  auto op = cast<Op>(operand.getOwner());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  bool isMovedByRows = false, isMovedByOthers = false;
  for (auto [loop, is] : llvm::enumerate(transient.loops[op]))
    if (map.isFunctionOfDim(loop)) {
      isMovedByRows |= is == keptLoop();
      isMovedByOthers |= llvm::is_contained(transient.reduced, is);
    }
  if (isMovedByRows && isMovedByOthers)
    return std::nullopt;
  return !isMovedByOthers;
}

void TransientCode::findLoaded() {
  SmallVector<Op> readers(ArrayRef(transient.elementwise));
  for (Op end : transient.consumers)
    if (!analysis::isContraction(end))
      readers.push_back(end);
  // A reading is a map from all loops of the first producer: the same tensor may be read along both sides.
  auto readingOf = [&](OpOperand &operand) {
    auto op = cast<Op>(operand.getOwner());
    SmallVector<AffineExpr> dims;
    for (int64_t is : transient.loops[op])
      dims.push_back(getAffineDimExpr(is, b.getContext()));
    return op.getMatchingIndexingMap(&operand).replaceDimsAndSymbols(
        dims, {}, transient.producers.front().getNumLoops(), 0);
  };
  llvm::MapVector<Value, SmallVector<OpOperand *>> reads;
  for (Op op : readers)
    for (OpOperand *input : op.getDpsInputOperands()) {
      bool isRead = !op.getMatchingBlockArgument(input).use_empty() && !transient.isElements(input->get());
      if (isRead && cast<RankedTensorType>(input->get().getType()).getRank() > 0)
        reads[input->get()].push_back(input);
    }
  for (auto &read : reads) {
    const SmallVector<OpOperand *> &inputs = read.second;
    std::optional<bool> isOfRows = this->isOfRows(*inputs.front());
    if (isOfRows && llvm::all_of(inputs, [&](OpOperand *input) {
          return readingOf(*input) == readingOf(*inputs.front());
        }))
      loaded.push_back({inputs.front(), *isOfRows, {}});
  }
}

/// The numbers of the lane's rows, or of its positions in a tile.
void TransientCode::load(bool isOfRows, Index first) {
  for (Loaded &of : loaded) {
    if (of.isOfRows != isOfRows)
      continue;
    of.values.clear();
    auto op = cast<Op>(of.operand->getOwner());
    auto read = [&](Value condition, Index row, Index position) {
      Type type = registerType(getElementTypeOrSelf(of.operand->get().getType()));
      of.values.push_back(where(b, condition, {type}, [&]() -> Values {
                            operands.forget();
                            return {operands.read(op, *of.operand, pointOf(op, row, position))};
                          }).front());
    };
    if (isOfRows)
      for (int64_t half = 0; half < rowsOfLane; ++half) {
        Value condition = isRow(half);
        read(condition, row(half), Index(0));
      }
    else
      for (int64_t number = 0; number < form.getAlong() / 8 * sumsOfTile; ++number)
        if (WarpTile::halfOf(number) == 0) {
          Value condition = isPosition(first, number, {});
          read(condition, Index(0), positionOf(first, number));
        }
  }
}

/// For each end, what it takes up of a tile.
TransientCode::Sums TransientCode::elementsFor(Index first) {
  Sums made, all(transient.consumers.size());
  for (Op maker : transient.producers)
    made.push_back(make(maker));
  for (int64_t number = 0; number < int64_t(made.front().size()); ++number) {
    Value isElement = isPosition(first, number, isRow(WarpTile::halfOf(number)));
    Values elements = where(b, isElement, SmallVector<Type>(all.size(), b.getF32Type()),
                            [&] { return elementFor(made, first, number); });
    for (auto [of, element] : llvm::zip_equal(all, elements))
      of.push_back(element);
  }
  return all;
}

Values TransientCode::elementFor(const Sums &made, Index first, int64_t number) {
  const int64_t half = WarpTile::halfOf(number);
  Index row = this->row(half), position = positionOf(first, number);
  operands.forget();
  for (const Loaded &of : loaded)
    operands.keep(of.operand->get(), of.values[of.isOfRows ? half : number / sumsOfTile * 2 + number % 2]);
  llvm::DenseMap<Value, Value> known;
  auto keep = [&](Op op, Value value) {
    operands.keep(op.getResult(0), value);
    known[op.getResult(0)] = value;
  };
  for (auto [maker, of] : llvm::zip_equal(transient.producers, made))
    keep(maker, of[number]);
  for (Op op : transient.elementwise) {
    Point at = pointOf(op, row, position);
    keep(op, emitBody(kernel, op, operands.arguments(op, at), at).front());
  }
  Values taken;
  for (Op end : transient.consumers) {
    if (analysis::isContraction(end)) {
      taken.push_back(known[end.getInputs()[1 - transient.otherOperand(end)]]);
      continue;
    }
    Operation *combiner = analysis::combinerOf(end, 0);
    Value term = combiner->getOperand(combiner->getOperand(0) == end.getRegionOutputArgs()[0] ? 1 : 0);
    Point at = pointOf(end, row, position);
    taken.push_back(emitPart(kernel, end, term, operands.arguments(end, at, {Value()}), at));
  }
  return taken;
}

} // namespace dlc::codegen::gpu
