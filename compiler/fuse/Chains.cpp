//===- Chains.cpp - which groups run as steps of one kernel ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of many small matrices hands a large tensor to what follows, but each of its matrices is small.
// Where both go through the matrices in the same order, they are steps of one kernel: it runs all of them for
// one matrix before the next, and what they hand to each other never leaves the cache.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Costs.h"
#include "compiler/fuse/Groups.h"
#include "compiler/support/Elements.h"
#include <map>

namespace dlc::fuse {

// Whether a group may be taken apart along a loop, which then runs outside. The loops of a product that move
// only one of its operands make up its tiles, and stay together.
static bool isSeparable(const Group &group, unsigned loop) {
  if (!group.isContraction)
    return loop < group.shared;
  GenericOp product =
      *llvm::find_if(group.ops, isContraction); // what follows it may read what stands before it
  return loop < product.getNumParallelLoops() &&
         llvm::all_of(
             product.getDpsInputOperands(),
             [&](OpOperand *operand) {
               auto dim = mlir::getAffineDimExpr(loop, product.getContext());
               return llvm::is_contained(product.getMatchingIndexingMap(operand).getResults(), dim);
             });
}

// Whether a group may run in blocks of a loop, which reads again for each block what the loop does not move.
static bool isTileable(const Group &group, unsigned loop) {
  if (!group.isContraction)
    return loop < group.shared;
  GenericOp product = *llvm::find_if(group.ops, isContraction);
  return loop < product.getNumParallelLoops();
}

// Bytes of a tensor that an operation reads or writes by `map`, in one iteration of some of its loops.
static int64_t bytesInside(GenericOp op, AffineMap map, Value tensor, ArrayRef<unsigned> outer) {
  SmallVector<int64_t> sizes = loopSizes(op);
  int64_t bytes = elementBytes(tensor);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (map.isFunctionOfDim(loop) && !llvm::is_contained(outer, loop))
      bytes *= sizes[loop];
  return bytes;
}
static int64_t bytesInside(OpResult result, ArrayRef<unsigned> outer) {
  auto op = mlir::cast<GenericOp>(result.getOwner());
  return bytesInside(op, op.getIndexingMapMatchingResult(result), result, outer);
}

namespace {
/// Two groups, or chains of groups, that may become one chain.
class Joint {
public:
  Joint(Group &producer, Group &consumer, int64_t block) : block(block) {
    for (Group *group : {&producer, &consumer})
      for (const Group &step : group->stepsOrSelf())
        waiting.push_back(&step);
    for (const Group *step : waiting)
      for (GenericOp op : step->ops)
        stepOf[op] = step;
    order();
    for (const Group *step : steps)
      for (GenericOp op : step->ops)
        for (OpOperand *input : op.getDpsInputOperands())
          if (const Group *maker = makerOf(input->get()); maker && maker != step) {
            reads.push_back(input);
            handed.insert(mlir::cast<OpResult>(input->get()));
          }
    GenericOp first = steps.front()->ops.front();
    for (unsigned loop = 0; loop < first.getNumParallelLoops(); ++loop)
      share(loop, isSeparable);
  }

  /// Steps, each after those whose results it reads.
  SmallVector<const Group *> steps;

  /// The loops of a step that all steps share, in the same order in all.
  ArrayRef<unsigned> sharedLoops(const Group *step) const { return loopsOf.find(step)->second; }
  bool isAny() const { return !loopsOf.empty(); }
  /// Shares one loop more, which runs in blocks: whether there is one.
  bool tile() {
    GenericOp first = steps.front()->ops.front();
    for (unsigned loop = 0; loop < first.getNumParallelLoops() && !isTiled; ++loop)
      isTiled = !llvm::is_contained(sharedLoops(steps.front()), loop) && share(loop, isTileable);
    return isTiled;
  }
  /// What products read again for each block, because the tiled loop does not move it.
  int64_t readAgainBytes() const {
    llvm::SmallPtrSet<Value, 8> seen;
    int64_t bytes = 0;
    for (const Group *step : steps)
      for (GenericOp op : step->ops)
        if (isContraction(op))
          for (OpOperand *input : op.getDpsInputOperands()) {
            AffineMap map = op.getMatchingIndexingMap(input);
            if (!map.isFunctionOfDim(sharedLoops(step).back()) && seen.insert(input->get()).second)
              bytes += bytesInside(op, map, input->get(), sharedLoops(step));
          }
    return bytes;
  }
  /// Of products, in one block.
  int64_t operations() const {
    int64_t count = 0;
    for (const Group *step : steps)
      for (GenericOp op : step->ops)
        if (isContraction(op)) {
          int64_t inside = iterationsOf(op) * operationsOf(op);
          count += inside / iterations() * block;
        }
    return count;
  }
  int64_t iterations() const {
    int64_t count = 1;
    SmallVector<int64_t> sizes = loopSizes(steps.front()->ops.front());
    for (unsigned loop : sharedLoops(steps.front()))
      count *= sizes[loop];
    return count;
  }
  /// Of all that one group hands to the other.
  int64_t handedBytes(const Group &producer, const Group &consumer) const {
    int64_t bytes = 0;
    for (OpResult result : handed)
      if (llvm::is_contained(producer.ops, result.getOwner()) &&
          llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return llvm::is_contained(consumer.ops, user); }))
        bytes += bytesInside(result, {});
    return bytes;
  }
  /// The most that is handed on at a time in one iteration; a step overwrites what it reads last, unless it
  /// is a product.
  int64_t liveBytes() const {
    int64_t most = 0;
    for (size_t now = 0; now < steps.size(); ++now) {
      int64_t live = 0;
      for (OpResult result : handed) {
        size_t made = placeOf(result), last = made;
        for (Operation *user : result.getUsers())
          if (const Group *reader = stepOf.lookup(user))
            last = std::max<size_t>(last, llvm::find(steps, reader) - steps.begin());
        bool isRead = now > made && (now < last || (now == last && steps[now]->isContraction));
        if (now == made || isRead)
          live += bytesInside(result, sharedLoops(makerOf(result)));
      }
      most = std::max(most, live);
    }
    return isTiled ? most * block : most;
  }

private:
  const Group *makerOf(Value value) const { return stepOf.lookup(value.getDefiningOp()); }
  size_t placeOf(OpResult result) const { return llvm::find(steps, makerOf(result)) - steps.begin(); }
  void order() {
    while (!waiting.empty()) {
      auto isReady = [&](const Group *step) {
        return llvm::all_of(step->ops, [&](GenericOp op) {
          return llvm::all_of(op.getInputs(), [&](Value input) {
            const Group *maker = makerOf(input);
            return !maker || maker == step || llvm::is_contained(steps, maker);
          });
        });
      };
      auto next = llvm::find_if(waiting, isReady);
      steps.push_back(*next);
      waiting.erase(next);
    }
  }

  /// Shares a loop of the first step, if one loop of each other step goes along with it: at each point, a
  /// step reads of others what they make at the same point, and `isLegal` says so of each step.
  bool share(unsigned first, bool (*isLegal)(const Group &, unsigned)) {
    llvm::DenseMap<const Group *, unsigned> loop{{steps.front(), first}};
    for (bool changed = true; changed;) {
      changed = false;
      for (OpOperand *read : reads) {
        auto result = mlir::cast<OpResult>(read->get());
        auto reader = mlir::cast<GenericOp>(read->getOwner()),
             maker = mlir::cast<GenericOp>(result.getOwner());
        AffineMap written = maker.getIndexingMapMatchingResult(result),
                  map = reader.getMatchingIndexingMap(read);
        for (auto [from, to] : llvm::zip_equal(written.getResults(), map.getResults())) {
          auto made = mlir::dyn_cast<mlir::AffineDimExpr>(from),
               used = mlir::dyn_cast<mlir::AffineDimExpr>(to);
          if (!made || !used)
            continue;
          auto known = [&](const Group *step, unsigned position) {
            auto it = loop.find(step);
            return it != loop.end() && it->second == position;
          };
          bool isMade = known(makerOf(result), made.getPosition()),
               isUsed = known(stepOf.lookup(reader), used.getPosition());
          if (isMade != isUsed) {
            auto [it, isNew] = isMade ? loop.insert({stepOf.lookup(reader), used.getPosition()})
                                      : loop.insert({makerOf(result), made.getPosition()});
            if (!isNew)
              return false;
            changed = true;
          }
        }
      }
    }
    for (const Group *step : steps)
      if (auto it = loop.find(step); it == loop.end() || !isLegal(*step, it->second))
        return false;
    // Each reading goes along with it.
    for (OpOperand *read : reads) {
      auto result = mlir::cast<OpResult>(read->get());
      auto reader = mlir::cast<GenericOp>(read->getOwner()), maker = mlir::cast<GenericOp>(result.getOwner());
      AffineMap written = maker.getIndexingMapMatchingResult(result),
                map = reader.getMatchingIndexingMap(read);
      auto made = mlir::getAffineDimExpr(loop[makerOf(result)], map.getContext()),
           used = mlir::getAffineDimExpr(loop[stepOf.lookup(reader)], map.getContext());
      if (llvm::none_of(llvm::zip_equal(written.getResults(), map.getResults()),
                        [&](auto dims) { return std::get<0>(dims) == made && std::get<1>(dims) == used; }))
        return false;
    }
    for (const Group *step : steps)
      loopsOf[step].push_back(loop[step]);
    return true;
  }

  SmallVector<const Group *> waiting;
  SmallVector<OpOperand *> reads;
  llvm::DenseMap<const Group *, SmallVector<unsigned>> loopsOf;
  llvm::DenseMap<Operation *, const Group *> stepOf;
  llvm::SetVector<OpResult> handed;
  int64_t block; ///< iterations of a tiled loop that run together
  bool isTiled = false;
};
} // namespace

// Whether the group only moves elements: kernels of their own do that in squares.
static bool onlyMoves(const Group &group) { return llvm::all_of(group.ops, isMove); }

// Whether what is handed on in one iteration has room in the cache of a core, beside what the steps read. If
// not, one loop more is shared, in blocks: then what each block reads again must be in that cache as well, or
// take less time than what is computed from it.
static bool isNear(Joint &joint, const FusionCosts &costs) {
  auto fits = [&] { return joint.liveBytes() <= costs.nearBytes / 4 * 3; };
  if (fits())
    return true;
  return joint.tile() && fits() &&
         (joint.readAgainBytes() <= costs.nearBytes / 2 ||
          joint.readAgainBytes() * costs.operationsPerByte <= joint.operations());
}

void Grouping::tryChain(Group &producer, Group &consumer) {
  auto mayBeStep = [](const Group &group) {
    return !group.isScalars && !group.isScatter && !onlyMoves(group);
  };
  if (&producer == &consumer || !mayBeStep(producer) || !mayBeStep(consumer) ||
      producer.operations + consumer.operations > costs.maxOperations)
    return;
  auto hasProduct = [](Group &group) {
    return llvm::any_of(group.stepsOrSelf(), [](const Group &step) { return step.isContraction; });
  };
  if (!hasProduct(producer) && !hasProduct(consumer))
    return;
  Joint joint(producer, consumer, costs.block);
  // What fits the cache of a core as a whole need not be taken apart.
  if (!joint.isAny() || joint.handedBytes(producer, consumer) < costs.nearBytes || !isNear(joint, costs) ||
      joint.iterations() < costs.minShared || precedence.isBetween(producer.node, consumer.node))
    return;
  for (GenericOp op : consumer.ops)
    for (Value captured : capturedTensors(op))
      if (groupOf(captured.getDefiningOp()) == &producer)
        return;

  std::vector<Group> steps;
  for (const Group *step : joint.steps) {
    steps.push_back(*step);
    steps.back().outer = llvm::to_vector(joint.sharedLoops(step));
  }
  precedence.merge(producer.node, consumer.node);
  for (GenericOp op : consumer.ops)
    byOp[op] = &producer;
  producer.steps = std::move(steps);
  producer.ops.append(consumer.ops);
  llvm::sort(producer.ops, [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
  producer.shared = producer.steps.front().outer.size();
  producer.operations += consumer.operations;
  producer.isContraction = false;
  consumer.ops.clear();
  consumer.steps.clear();
}

// The largest tensors first: what hands on a small one as well must not keep apart those that hand on a large
// one.
void Grouping::formChains(mlir::Block &block) {
  std::map<int64_t, SmallVector<OpOperand *>, std::greater<>> bySize; // in program order where equal
  for (GenericOp op : block.getOps<GenericOp>())
    for (OpOperand *input : op.getDpsInputOperands())
      if (groupOf(input->get().getDefiningOp()))
        bySize[bytesInside(mlir::cast<OpResult>(input->get()), {})].push_back(input);
  for (auto &[bytes, operands] : bySize)
    for (OpOperand *input : operands)
      tryChain(*groupOf(input->get().getDefiningOp()), *groupOf(input->getOwner()));
}

} // namespace dlc::fuse
