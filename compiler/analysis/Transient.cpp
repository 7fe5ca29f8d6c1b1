//===- Transient.cpp - matrices of which only tiles exist -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/Transient.h"
#include "compiler/analysis/Reductions.h"
#include "dialects/train/Roles.h"

using namespace mlir;
using linalg::GenericOp;
using train::KernelOp, train::KernelRole, train::RoleAttr, train::roleOf;

namespace dlc::analysis {

unsigned Transient::operandAlong(Op maker, unsigned side) const {
  unsigned loop = loopOf(maker, sides[side].back());
  return maker.getIndexingMapsArray()[0].isFunctionOfDim(loop) ? 0 : 1;
}

unsigned Transient::keptBy(Op end) const {
  return llvm::is_contained(sides[0], loops.lookup(end).back()) ? 1 : 0;
}

SmallVector<int64_t, 4> Transient::reducedBy(Op end) const {
  ArrayRef<int64_t> all = loops.find(end)->second;
  SmallVector<int64_t, 4> reduced(all.drop_front(end.getNumParallelLoops()));
  llvm::sort(reduced);
  return reduced;
}

SmallVector<GenericOp> Transient::neededFor(Op end) const {
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> queue(end.getInputs());
  while (!queue.empty())
    if (Value tensor = queue.pop_back_val(); isElements(tensor) && needed.insert(tensor.getDefiningOp()))
      llvm::append_range(queue, tensor.getDefiningOp<GenericOp>().getInputs());
  SmallVector<GenericOp> inOrder = llvm::map_to_vector(needed, llvm::CastTo<GenericOp>);
  llvm::sort(inOrder, [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
  return inOrder;
}

bool Transient::setSides() {
  auto maps = producers.front().getIndexingMapsArray();
  for (int64_t loop = 0; loop < int64_t(producers.front().getNumParallelLoops()); ++loop) {
    bool inLeft = maps[0].isFunctionOfDim(loop), inRight = maps[1].isFunctionOfDim(loop);
    if (!inLeft && !inRight)
      return false;
    (inLeft && inRight ? shared : sides[inRight]).push_back(loop);
  }
  return true;
}

/// The end whose results an operation works on, element by element, itself or by others of these; null where
/// there is none, or where there are several.
static GenericOp endBefore(const TransientKernel &kernel, GenericOp op) {
  GenericOp found;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto maker = input->get().getDefiningOp<GenericOp>();
    if (!maker)
      continue;
    GenericOp end;
    for (GenericOp candidate : kernel.consumers)
      if (candidate == maker || llvm::is_contained(kernel.after.lookup(candidate), maker))
        end = candidate;
    AffineMap written = maker.getIndexingMapMatchingResult(cast<OpResult>(input->get()));
    if (!end || (found && found != end) || loopsOf(op.getMatchingIndexingMap(input)) != loopsOf(written))
      return {};
    found = end;
  }
  return found;
}

/// What two operands have in common where they are the same elements: for each dim, which loop it is, or
/// which of those that are the operation's own.
static SmallVector<int64_t> readingOf(const Transient &transient, GenericOp op, unsigned operand) {
  SmallVector<int64_t> reading, own;
  auto loops = transient.loops.lookup(op);
  for (auto [loop, is] : llvm::enumerate(loops))
    if (is < 0)
      own.push_back(loop);
  auto read = *loopsOf(op.getIndexingMapsArray()[operand]);
  for (int64_t loop : read)
    reading.push_back(loops[loop] >= 0 ? loops[loop] : -1 - (llvm::find(own, loop) - own.begin()));
  return reading;
}

static void addOperand(TransientKernel &kernel, GenericOp op, unsigned operand, bool isKept) {
  SmallVector<int64_t> reading = readingOf(kernel, op, operand);
  for (TransientKernel::Operand &tiled : kernel.operands) {
    auto [other, number] = tiled.readers.front();
    if (tiled.isKept == isKept && other.getInputs()[number] == op.getInputs()[operand] &&
        readingOf(kernel, other, number) == reading) {
      tiled.readers.push_back({op, operand});
      return;
    }
  }
  int64_t numbers = 1;
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (kernel.loops.lookup(op)[loop] < 0)
      numbers *= extent;
  kernel.operands.push_back({{{op, operand}}, isKept, Transient::filled(numbers)});
}

size_t TransientKernel::operandNumber(Op op, unsigned operand) const {
  auto reads = [&](const Operand &tiled) {
    return llvm::is_contained(tiled.readers, std::pair(op, operand));
  };
  return llvm::find_if(operands, reads) - operands.begin();
}

std::optional<TransientKernel> transientKernel(Transient transient, KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().front().getOps<GenericOp>());
  TransientKernel found;
  static_cast<Transient &>(found) = std::move(transient);
  found.kept = found.keptBy(found.consumers.front());
  found.reduced = found.reducedBy(found.consumers.front());
  for (GenericOp op : ops) {
    bool isInside = found.loops.contains(op), isEnd = llvm::is_contained(found.consumers, op);
    if (isEnd && found.reducedBy(op) != found.reduced)
      return std::nullopt;
    if (isInside) {
      // What an end gives is known when all elements have been made.
      if (llvm::any_of(op.getInputs(), [&](Value input) {
            return input.getDefiningOp<GenericOp>() && !found.isElements(input);
          }))
        return std::nullopt;
      continue;
    }
    GenericOp end = endBefore(found, op);
    if (!end || op.getNumReductionLoops() > 0 || op.getNumLoops() != end.getNumParallelLoops())
      return std::nullopt;
    found.after[end].push_back(op);
  }
  for (GenericOp maker : found.producers)
    for (unsigned side : {0, 1})
      addOperand(found, maker, found.operandAlong(maker, side), side == found.kept);
  for (GenericOp end : found.consumers)
    if (isContraction(end)) {
      if (!llvm::all_of(end.getIndexingMapsArray(), [](AffineMap map) { return loopsOf(map).has_value(); }))
        return std::nullopt;
      addOperand(found, end, found.otherOperand(end), /*isKept=*/false);
    }
  return found;
}

std::optional<TransientKernel> transientOf(KernelOp kernel) {
  Transient found;
  llvm::SmallVector<std::pair<int64_t, GenericOp>> producers;
  for (GenericOp op : kernel.getBody().front().getOps<GenericOp>()) {
    RoleAttr role = roleOf(op);
    if (!role)
      continue;
    if (role.getRole() == KernelRole::Producer)
      producers.push_back({role.getNumber(), op});
    else if (role.getRole() == KernelRole::Elementwise)
      found.elementwise.push_back(op);
    else if (role.getRole() == KernelRole::Consumer)
      found.consumers.push_back(op);
    else
      return std::nullopt;
    found.loops[op] = SmallVector<int64_t, 4>(role.getLoops());
  }
  if (producers.empty())
    return std::nullopt;
  llvm::sort(producers, llvm::less_first());
  for (auto [number, op] : producers)
    found.producers.push_back(op);
  return found.setSides() ? transientKernel(std::move(found), kernel) : std::nullopt;
}

} // namespace dlc::analysis
