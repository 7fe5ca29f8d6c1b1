//===- TransientSearch.cpp - from products to what takes up their elements --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/tiled/TransientSearch.h"
#include "compiler/analysis/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace mlir;
using namespace dlc::analysis;

namespace dlc::fuse {

namespace {

/// A product of matrices whose sums begin with zero, with operands that lie as its loops go.
bool isPlainProduct(GenericOp op) {
  return isContraction(op) && isF32(op.getResult(0)) && beginsWithZero(op) &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return loopsOf(map).has_value(); });
}

bool isOneOf(ArrayRef<int64_t> loops, int64_t loop) { return llvm::is_contained(loops, loop); }

} // namespace

bool TransientSearch::run(GenericOp first) {
  if (!takeFirst(first))
    return false;
  constexpr size_t mostOperations = 64;
  while (!queue.empty()) {
    Value tensor = queue.pop_back_val();
    for (Operation *user : tensor.getUsers()) {
      auto op = dyn_cast<GenericOp>(user);
      if (!op || op->getBlock() != first->getBlock() || (!isKnown(op) && !takeReader(op)) ||
          found.loops.size() > mostOperations)
        return false;
    }
  }
  auto isBefore = [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); };
  llvm::sort(found.elementwise, isBefore);
  llvm::sort(found.consumers, isBefore);
  // What was not known yet when an operation was looked at must be read along the same loops.
  auto readsAll = [&](GenericOp op) { return loopsOfReader(op, dims) == found.loops[op]; };
  return !found.consumers.empty() && llvm::all_of(found.elementwise, readsAll) &&
         llvm::all_of(found.consumers,
                      [&](GenericOp op) {
                        return readsAll(op) && !(isContraction(op) && dims.contains(op.getInputs()[0]) &&
                                                 dims.contains(op.getInputs()[1]));
                      }) &&
         hasRoom();
}

void TransientSearch::keep(GenericOp op, Loops loops) {
  Loops written = *loopsOf(op.getIndexingMapMatchingResult(op->getResult(0)));
  for (int64_t &loop : written)
    loop = loops[loop];
  found.loops[op] = std::move(loops);
  dims[op.getResult(0)] = std::move(written);
  queue.push_back(op.getResult(0));
}

/// A product that has loops of matrices beside each other: what goes through one matrix, as a perceptron
/// does, has few tiles along its short side.
bool TransientSearch::takeFirst(GenericOp maker) {
  if (!isPlainProduct(maker))
    return false;
  found.producers.push_back(maker);
  if (!found.setSides() || found.shared.empty())
    return false;
  Loops loops(maker.getNumLoops(), -1);
  std::iota(loops.begin(), loops.begin() + maker.getNumParallelLoops(), 0);
  keep(maker, std::move(loops));
  return true;
}

std::optional<TransientSearch::Loops> TransientSearch::loopsByResult(GenericOp op,
                                                                     const Loops &resultLoops) const {
  auto written = loopsOf(op.getIndexingMapMatchingResult(op->getResult(0)));
  if (!written || written->size() != resultLoops.size())
    return std::nullopt;
  Loops loops(op.getNumLoops(), -1);
  for (auto [loop, is] : llvm::zip_equal(*written, resultLoops))
    loops[loop] = is;
  return loops;
}

bool TransientSearch::takeReader(GenericOp op) {
  std::optional<Loops> loops = loopsOfReader(op, dims);
  if (!loops)
    return false;
  return isOfEachElement(op) ? takeBetween(op, std::move(*loops)) : takeEnd(op, *loops);
}

bool TransientSearch::isOfEachElement(GenericOp op) const {
  return op.getNumReductionLoops() == 0 && op.getNumResults() == 1 && op.getNumLoops() == rank();
}

bool TransientSearch::takeBetween(GenericOp op, Loops loops) {
  if (!loopsOf(op.getIndexingMapMatchingResult(op->getResult(0))))
    return false;
  found.elementwise.push_back(op);
  keep(op, loops);
  takeSources(op, loops);
  return true;
}

/// What an operation reads beside elements that are known.
void TransientSearch::takeSources(GenericOp op, const Loops &loops) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto source = input->get().getDefiningOp<GenericOp>();
    auto read = loopsOf(op.getMatchingIndexingMap(input));
    if (!source || isKnown(source) || source->getNumResults() != 1 || !read || read->size() != rank())
      continue;
    for (int64_t &loop : *read)
      loop = loops[loop];
    takeSource(source, *read);
  }
}

bool TransientSearch::isMadeOfProducts(GenericOp op, llvm::SmallPtrSetImpl<Operation *> &seen) const {
  constexpr size_t mostOperations = 32;
  if (!isOfEachElement(op) || !seen.insert(op).second || seen.size() > mostOperations)
    return false;
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    auto source = input->get().getDefiningOp<GenericOp>();
    return source && op.getMatchingIndexingMap(input).getNumResults() == rank() &&
           (isPlainProduct(source) || isMadeOfProducts(source, seen));
  });
}

/// What is not made of products is in memory.
void TransientSearch::takeSource(GenericOp op, const Loops &resultLoops) {
  std::optional<Loops> loops = loopsByResult(op, resultLoops);
  llvm::SmallPtrSet<Operation *, 16> seen;
  if (!loops)
    return;
  if (isMaker(op, *loops)) {
    found.producers.push_back(op);
    keep(op, std::move(*loops));
  } else if (isMadeOfProducts(op, seen)) {
    takeBetween(op, std::move(*loops));
  }
}

/// Whether each side moves one operand, and each another one.
bool TransientSearch::isMaker(GenericOp op, const Loops &loops) const {
  if (!isPlainProduct(op))
    return false;
  auto maps = op.getIndexingMapsArray();
  std::optional<bool> isSwapped;
  for (auto [loop, is] : llvm::enumerate(loops)) {
    if (is < 0 || isOneOf(found.shared, is))
      continue;
    bool inLeft = maps[0].isFunctionOfDim(loop), inRight = maps[1].isFunctionOfDim(loop);
    bool swapped = isOneOf(found.sides[0], is) ? inRight : inLeft;
    if (inLeft == inRight || (isSwapped && *isSwapped != swapped))
      return false;
    isSwapped = swapped;
  }
  return true;
}

bool TransientSearch::takeEnd(GenericOp op, const Loops &loops) {
  // Its sums go along one side, and nothing else.
  ArrayRef<int64_t> reduced = ArrayRef(loops).drop_front(op.getNumParallelLoops());
  const unsigned side = isOneOf(reduced, found.sides[0].back()) ? 0 : 1;
  if (!isOneOf(reduced, found.sides[side].back()) ||
      !llvm::all_of(reduced, [&](int64_t loop) { return isOneOf(found.sides[side], loop); }) ||
      op.getNumResults() != 1 || !isF32(op.getResult(0)) || !beginsWithZero(op))
    return false;
  if (!(isContraction(op) ? isEndProduct(op, loops, /*kept=*/1 - side) : isEndSum(op, loops)))
    return false;
  found.consumers.push_back(op);
  found.loops[op] = loops;
  if (!isContraction(op))
    takeSources(op, loops);
  return true;
}

/// A product of elements and of something that the kept side does not move.
bool TransientSearch::isEndProduct(GenericOp op, const Loops &loops, unsigned kept) const {
  bool isLeft = dims.contains(op.getInputs()[0]);
  Value other = op.getInputs()[isLeft ? 1 : 0];
  AffineMap map = op.getIndexingMapsArray()[isLeft ? 1 : 0];
  if (!isPlainProduct(op) || dims.contains(other) || op.getNumLoops() <= rank())
    return false;
  size_t known = llvm::count_if(loops, [](int64_t is) { return is >= 0; });
  return known == rank() && llvm::all_of(llvm::enumerate(loops), [&](auto loop) {
           bool isMoved = map.isFunctionOfDim(loop.index());
           return loop.value() < 0 ? isMoved : !(isMoved && isOneOf(found.sides[kept], loop.value()));
         });
}

bool TransientSearch::isEndSum(GenericOp op, const Loops &loops) const {
  return isa_and_nonnull<arith::AddFOp>(combinerOf(op, 0)) && op.getNumLoops() == rank() &&
         !isOneOf(loops, -1) && loopsOf(op.getIndexingMapMatchingResult(op->getResult(0)));
}

/// Whether a thread's registers have room, and all products are of one kind.
bool TransientSearch::hasRoom() const {
  auto sizeOf = [&](GenericOp op) {
    int64_t size = 1;
    for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
      if (found.loops.lookup(op)[loop] < 0)
        size = ShapedType::isDynamic(extent) || size > Transient::mostElements ? Transient::mostElements + 1
                                                                               : size * extent;
    return size;
  };
  int64_t columns[2] = {0, 0};
  SmallVector<GenericOp> products(ArrayRef(found.producers));
  for (GenericOp end : found.consumers)
    if (isContraction(end)) {
      products.push_back(end);
      columns[found.keptBy(end)] += Transient::filled(sizeOf(end));
    }
  FloatType low = lowTypeOf(products[0]);
  return found.producers.size() <= Transient::mostProducers && columns[0] <= Transient::mostColumns &&
         columns[1] <= Transient::mostColumns && llvm::all_of(products, [&](GenericOp op) {
           bool isPlain = isF32(op.getInputs()[0]) && isF32(op.getInputs()[1]);
           return sizeOf(op) >= 1 && sizeOf(op) <= Transient::mostElements && lowTypeOf(op) == low &&
                  (low || isPlain);
         });
}

std::optional<Transient> findTransients(GenericOp producer) {
  TransientSearch search;
  return search.run(producer) ? std::optional(std::move(search.found)) : std::nullopt;
}

std::optional<TransientKernel> findTransients(train::KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().front().getOps<GenericOp>());
  auto first = llvm::find_if(ops, isContraction);
  std::optional<Transient> found = first == ops.end() ? std::nullopt : findTransients(*first);
  return found ? transientKernel(std::move(*found), kernel) : std::nullopt;
}

} // namespace dlc::fuse
