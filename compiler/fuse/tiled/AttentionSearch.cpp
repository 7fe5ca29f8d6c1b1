//===- AttentionSearch.cpp - from one product of an attention to the other --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/tiled/AttentionSearch.h"
#include "compiler/analysis/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dlc::analysis;

namespace dlc::fuse {

bool AttentionSearch::takeScores() {
  GenericOp op = found.scores;
  auto maps = op.getIndexingMapsArray();
  auto written = loopsOf(maps[2]);
  if (!written || !beginsWithZero(op) || !isF32(op.getResult(0)))
    return false;
  int64_t keys = 0, rows = 0;
  for (int64_t loop = 0; loop < op.getNumParallelLoops(); ++loop) {
    bool inLeft = maps[0].isFunctionOfDim(loop), inRight = maps[1].isFunctionOfDim(loop);
    rows += inLeft && !inRight;
    keys += inRight && !inLeft;
  }
  found.setSides();
  dims[op.getResult(0)] = *written;
  return keys == 1 && rows > 0 && llvm::all_of(op->getUsers(), llvm::IsaPred<GenericOp>);
}

/// Says which loops of `scores` an operation's loops are, and those of its results' dims.
bool AttentionSearch::label(GenericOp op) {
  auto loops = loopsOfReader(op, dims);
  if (!loops)
    return false;
  for (OpResult result : op->getResults()) {
    auto written = loopsOf(op.getIndexingMapMatchingResult(result));
    if (!written)
      return false;
    for (int64_t &loop : *written)
      loop = (*loops)[loop];
    dims[result] = *written;
  }
  found.loops[op] = std::move(*loops);
  return true;
}

bool AttentionSearch::take(GenericOp op) {
  if (op.getNumResults() != 1 || !label(op) || llvm::is_contained(found.loops[op], -1))
    return false;
  Value result = op.getResult(0);
  if (op.getNumReductionLoops() > 0)
    return takeReduction(op);
  if (!isOfElements(result)) {
    if (llvm::any_of(op.getInputs(), [&](Value input) { return isOfElements(input); }) || !isF32(result))
      return false;
    ofRow[result] = readsOfRow(op, Of::Sum) ? Of::Sum : Of::Maximum;
    found.rowValues.push_back(op);
    return true;
  }
  // Who else reads it has it made again.
  if (!llvm::all_of(result.getUsers(), llvm::IsaPred<GenericOp>))
    return false;
  bool ofMaximum = readsOfRow(op, Of::Maximum), ofSum = readsOfRow(op, Of::Sum);
  if (found.exponentials) {
    found.probabilities.push_back(op);
    return !ofMaximum && powerOfFactor(op, op.getBody()->getTerminator()->getOperand(0)).has_value();
  }
  if (ofMaximum)
    return !ofSum && takeExponentials(op);
  found.masks.push_back(op);
  return !found.rowMax && isF32(result);
}

/// The maximum of each row, or the sum.
bool AttentionSearch::takeReduction(GenericOp op) {
  Value result = op.getResult(0);
  Operation *combiner = combinerOf(op, 0);
  if (op.getNumReductionLoops() != 1 || found.loops[op].back() != found.key || !combiner || !isF32(result) ||
      !op.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
    return false;
  if (!found.rowMax) {
    found.rowMax = op;
    ofRow[result] = Of::Maximum;
    return isa<arith::MaximumFOp>(combiner);
  }
  Value term = combiner->getOperand(combiner->getOperand(0) == op.getRegionOutputArgs()[0] ? 1 : 0);
  OpOperand *summed = operandOf(op, term);
  if (found.sum || !found.exponentials || !isa<arith::AddFOp>(combiner) || !beginsWithZero(op) || !summed ||
      summed->get() != found.exponentials.getResult(0))
    return false;
  found.sum = op;
  ofRow[result] = Of::Sum;
  return true;
}

/// exp(x - m), where m is the same along the row.
bool AttentionSearch::takeExponentials(GenericOp op) {
  auto exponential = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<math::ExpOp>();
  auto difference = exponential ? exponential.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  if (!difference || !isF32(op.getResult(0)))
    return false;
  unsigned along = llvm::find(found.loops[op], found.key) - found.loops[op].begin();
  bool isOfScores = llvm::none_of(neededFor(op, difference.getLhs()), [&](Value part) {
    auto argument = dyn_cast<BlockArgument>(part);
    return argument && ofRow.contains(op.getMatchingOpOperand(argument)->get());
  });
  found.exponentials = op;
  return isOfScores && !dependsOnLoop(op, difference.getRhs(), along);
}

/// The power of the row's factor in a value: 1 for a multiple of the factor, such as a probability; 0 for
/// what does not depend on it; nullopt for everything else.
std::optional<int> AttentionSearch::powerOfFactor(GenericOp op, Value value) {
  if (OpOperand *operand = operandOf(op, value)) {
    Value read = operand->get();
    if (ofRow.contains(read)) {
      if (found.factor && found.factor != read)
        return std::nullopt;
      found.factor = read;
      return 1;
    }
    auto maker = read.getDefiningOp<GenericOp>();
    return maker && llvm::is_contained(found.probabilities, maker)
               ? powerOfFactor(maker, maker.getBody()->getTerminator()->getOperand(0))
               : 0;
  }
  if (value.getParentBlock() != op.getBody()) // the body takes elements of it where it likes
    return ofRow.contains(value) || dims.contains(value) ? std::nullopt : std::optional(0);
  Operation *made = value.getDefiningOp();
  SmallVector<int> powers;
  for (Value operand : made->getOperands()) {
    std::optional<int> power = powerOfFactor(op, operand);
    if (!power)
      return std::nullopt;
    powers.push_back(*power);
  }
  if (llvm::all_of(powers, [](int power) { return power == 0; }))
    return 0;
  if (isa<arith::MulFOp>(made) && powers[0] + powers[1] == 1)
    return 1;
  if (isa<arith::TruncFOp, arith::ExtFOp>(made) || (isa<arith::DivFOp>(made) && powers[1] == 0))
    return 1;
  if (auto select = dyn_cast<arith::SelectOp>(made); select && powers[0] == 0)
    if ((powers[1] == 1 || matchPattern(select.getTrueValue(), m_AnyZeroFloat())) &&
        (powers[2] == 1 || matchPattern(select.getFalseValue(), m_AnyZeroFloat())))
      return 1;
  return std::nullopt;
}

bool AttentionSearch::takeValues() {
  GenericOp op = found.values;
  auto known = dims.find(op.getInputs()[0]);
  if (known == dims.end() || found.probabilities.empty() ||
      found.probabilities.back().getResult(0) != op.getInputs()[0] ||
      powerOfFactor(found.probabilities.back(),
                    found.probabilities.back().getBody()->getTerminator()->getOperand(0)) != 1 ||
      op.getNumReductionLoops() != 1 || !beginsWithZero(op) || !isF32(op.getResult(0)) ||
      dims.contains(op.getInputs()[1]) || !label(op) || found.loops[op].back() != found.key)
    return false;
  unsigned row = llvm::find(found.loops[op], found.row) - found.loops[op].begin();
  if (row >= op.getNumParallelLoops() || op.getIndexingMapsArray()[1].isFunctionOfDim(row))
    return false;
  auto isPlain = [](GenericOp op) { return isF32(op.getInputs()[0]) && isF32(op.getInputs()[1]); };
  FloatType low = lowTypeOf(op);
  bool fits = low ? low == lowTypeOf(found.scores) : isPlain(op) && isPlain(found.scores);
  auto isRoom = [](int64_t size) { return size >= 1 && size <= Attention::mostElements; };
  return fits && isRoom(found.steps()) && isRoom(found.columns());
}

static std::optional<AttentionSearch> searchFrom(GenericOp values) {
  if (!isContraction(values))
    return std::nullopt;
  // What the left operand is made of, up to products.
  constexpr size_t mostOperations = 32;
  llvm::SetVector<Operation *> before;
  SmallVector<GenericOp> products;
  SmallVector<Value> queue{values.getInputs()[0]};
  while (!queue.empty()) {
    auto op = queue.pop_back_val().getDefiningOp<GenericOp>();
    if (!op || before.contains(op))
      continue;
    if (isContraction(op)) {
      if (!llvm::is_contained(products, op))
        products.push_back(op);
      continue;
    }
    before.insert(op);
    if (before.size() > mostOperations)
      return std::nullopt;
    llvm::append_range(queue, op.getInputs());
  }
  SmallVector<GenericOp> inOrder;
  for (Operation *op : before)
    inOrder.push_back(cast<GenericOp>(op));
  llvm::sort(inOrder, [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
  for (GenericOp scores : products)
    if (AttentionSearch search(scores, values); search.run(inOrder))
      return search;
  return std::nullopt;
}

std::optional<Attention> findAttention(GenericOp values) {
  std::optional<AttentionSearch> search = searchFrom(values);
  return search ? std::optional(std::move(search->found)) : std::nullopt;
}

std::optional<Attention> findAttention(train::KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().front().getOps<GenericOp>());
  auto values = llvm::find_if(llvm::reverse(ops), isContraction);
  if (values == ops.rend())
    return std::nullopt;
  std::optional<AttentionSearch> search = searchFrom(*values);
  if (!search)
    return std::nullopt;
  auto isAfter = [&](GenericOp op) {
    return op.getNumReductionLoops() == 0 && op.getNumLoops() == values->getNumParallelLoops() &&
           llvm::all_of(op.getInputs(), [&](Value input) {
             Operation *maker = input.getDefiningOp();
             return maker == *values || !search->contains(maker);
           });
  };
  for (GenericOp op : ops)
    if (!search->contains(op) && !search->takeBeside(op) && !isAfter(op))
      return std::nullopt;
  bool keepsElements =
      llvm::any_of(kernel.getBody().front().getTerminator()->getOperands(),
                   [&](Value yielded) { return search->found.isOfElements(yielded.getDefiningOp()); });
  return keepsElements ? std::nullopt : std::optional(std::move(search->found));
}

} // namespace dlc::fuse
