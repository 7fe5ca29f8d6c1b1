//===- Joint.cpp - groups that may run as steps of one kernel --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/groups/Joint.h"
#include "compiler/fuse/Costs.h"
#include "compiler/support/Elements.h"

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

int64_t bytesInside(OpResult result, ArrayRef<unsigned> outer) {
  auto op = mlir::cast<GenericOp>(result.getOwner());
  return bytesInside(op, op.getIndexingMapMatchingResult(result), result, outer);
}

Joint::Joint(Group &producer, Group &consumer, int64_t block) : block(block) {
  SmallVector<const Group *> all;
  for (Group *group : {&producer, &consumer})
    for (const Group &step : group->stepsOrSelf())
      all.push_back(&step);
  for (const Group *step : all)
    for (GenericOp op : step->ops)
      stepOf[op] = step;
  order(std::move(all));
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

void Joint::order(SmallVector<const Group *> waiting) {
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

bool Joint::tile() {
  GenericOp first = steps.front()->ops.front();
  for (unsigned loop = 0; loop < first.getNumParallelLoops() && !isTiled; ++loop)
    isTiled = !llvm::is_contained(sharedLoops(steps.front()), loop) && share(loop, isTileable);
  return isTiled;
}

int64_t Joint::readAgainBytes() const {
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

int64_t Joint::operations() const {
  int64_t count = 0;
  for (const Group *step : steps)
    for (GenericOp op : step->ops)
      if (isContraction(op)) {
        int64_t inside = workOf(op);
        count += inside / iterations() * block;
      }
  return count;
}

int64_t Joint::iterations() const {
  int64_t count = 1;
  SmallVector<int64_t> sizes = loopSizes(steps.front()->ops.front());
  for (unsigned loop : sharedLoops(steps.front()))
    count *= sizes[loop];
  return count;
}

int64_t Joint::handedBytes(const Group &producer, const Group &consumer) const {
  int64_t bytes = 0;
  for (OpResult result : handed)
    if (llvm::is_contained(producer.ops, result.getOwner()) &&
        llvm::any_of(result.getUsers(),
                     [&](Operation *user) { return llvm::is_contained(consumer.ops, user); }))
      bytes += bytesInside(result, {});
  return bytes;
}

int64_t Joint::liveBytes() const {
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

namespace {
/// Collects the tensors that one step writes and another one reads.
struct Handing {
  explicit Handing(OpOperand *read)
      : result(mlir::cast<OpResult>(read->get())), reader(mlir::cast<GenericOp>(read->getOwner())),
        map(reader.getMatchingIndexingMap(read)) {
    written = mlir::cast<GenericOp>(result.getOwner()).getIndexingMapMatchingResult(result);
  }
  auto dims() { return llvm::zip_equal(written.getResults(), map.getResults()); }

  OpResult result;
  GenericOp reader;
  AffineMap map, written;
};
} // namespace

std::optional<Joint::Loops> Joint::loopsAlong(unsigned first) const {
  Loops loops{{steps.front(), first}};
  auto known = [&](const Group *step, unsigned position) {
    auto it = loops.find(step);
    return it != loops.end() && it->second == position;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (OpOperand *read : reads) {
      Handing handing(read);
      const Group *maker = makerOf(handing.result), *reader = stepOf.lookup(handing.reader);
      for (auto [from, to] : handing.dims()) {
        auto made = mlir::dyn_cast<mlir::AffineDimExpr>(from), used = mlir::dyn_cast<mlir::AffineDimExpr>(to);
        if (!made || !used)
          continue;
        bool isMade = known(maker, made.getPosition()), isUsed = known(reader, used.getPosition());
        if (isMade == isUsed)
          continue;
        bool isNew = isMade ? loops.insert({reader, used.getPosition()}).second
                            : loops.insert({maker, made.getPosition()}).second;
        if (!isNew)
          return std::nullopt;
        changed = true;
      }
    }
  }
  return loops;
}

bool Joint::goesAlong(OpOperand *read, const Loops &loops) const {
  Handing handing(read);
  mlir::MLIRContext *context = handing.map.getContext();
  auto made = mlir::getAffineDimExpr(loops.lookup(makerOf(handing.result)), context),
       used = mlir::getAffineDimExpr(loops.lookup(stepOf.lookup(handing.reader)), context);
  return llvm::any_of(handing.dims(),
                      [&](auto dims) { return std::get<0>(dims) == made && std::get<1>(dims) == used; });
}

bool Joint::share(unsigned first, bool (*isLegal)(const Group &, unsigned)) {
  std::optional<Loops> loops = loopsAlong(first);
  if (!loops)
    return false;
  for (const Group *step : steps)
    if (auto it = loops->find(step); it == loops->end() || !isLegal(*step, it->second))
      return false;
  if (!llvm::all_of(reads, [&](OpOperand *read) { return goesAlong(read, *loops); }))
    return false;
  for (const Group *step : steps)
    loopsOf[step].push_back(loops->lookup(step));
  return true;
}

} // namespace dlc::fuse
