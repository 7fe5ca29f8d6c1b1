//===- Groups.cpp - which generics run as one kernel -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each generic begins as a group of its own; then, in program order, the group of each operand's producer is
// merged with that of its consumer where that is legal and worth it. Groups that gain by it then become steps
// of one kernel (Chains.cpp).
//===----------------------------------------------------------------------===//
#include "compiler/fuse/groups/Groups.h"
#include "compiler/fuse/Costs.h"
#include "compiler/support/Elements.h"
#include "compiler/support/NodeNames.h"
#include "dialects/train/DimNames.h"

namespace dlc::fuse {

static Precedence precedenceIn(mlir::Block &block, llvm::DenseMap<Operation *, unsigned> &nodes) {
  for (auto [index, op] : llvm::enumerate(block))
    nodes[&op] = index;
  Precedence precedence(nodes.size());
  for (Operation &op : block)
    for (Operation *user : op.getUsers())
      precedence.add(nodes.at(&op), nodes.at(block.findAncestorOpInBlock(*user)));
  return precedence;
}

Grouping::Grouping(mlir::Block &block, FusionCosts costs, TiledMatrices &matrices)
    : costs(costs), matrices(matrices), precedence(0) {
  llvm::DenseMap<Operation *, unsigned> nodes;
  precedence = precedenceIn(block, nodes);
  for (GenericOp op : block.getOps<GenericOp>()) {
    auto group = std::make_unique<Group>();
    group->ops.push_back(op);
    group->node = nodes.at(op);
    group->shared = op.getNumParallelLoops();
    group->operations = op.getBody()->getOperations().size();
    group->isContraction = isProduct(op);
    group->isScatter = analysis::scatterOf(op).has_value();
    byOp[op] = group.get();
    all.push_back(std::move(group));
  }
  formScalars();
  if (costs.attentions)
    formTransients(block);
  for (GenericOp op : block.getOps<GenericOp>())
    for (Value input : op.getInputs())
      if (Group *producer = groupOf(input.getDefiningOp()))
        note(input, op, tryMerge(*producer, *groupOf(op)));
  if (costs.attentions)
    formAttentions(block);
  else
    formChains(block);
  llvm::erase_if(all, [](const std::unique_ptr<Group> &group) { return group->ops.empty(); });
}

// Makes one kernel of all rank-0 operations on hyperparameters and the step count, however they depend on
// each other.
void Grouping::formScalars() {
  Group *scalars = nullptr;
  for (const std::unique_ptr<Group> &group : all) {
    GenericOp op = group->ops.front();
    auto isRead = [](Value input) { return mlir::isa<train::ReadOp>(input.getDefiningOp()); };
    auto isKnown = [&](Value input) {
      Group *producer = groupOf(input.getDefiningOp());
      return isRead(input) || (producer && producer->isScalars);
    };
    if (op.getNumLoops() != 0 || !llvm::all_of(op.getInputs(), isKnown) ||
        !llvm::all_of(capturedTensors(op), isRead)) // a kernel captures its arguments only
      continue;
    group->isScalars = true;
    if (!scalars) {
      scalars = group.get();
      continue;
    }
    precedence.merge(scalars->node, group->node);
    scalars->ops.push_back(op);
    byOp[op] = scalars;
    group->ops.clear();
  }
}

std::optional<unsigned> Grouping::sharedIfMerged(Group &producer, Group &consumer) {
  unsigned shared = std::min(producer.shared, consumer.shared);
  for (GenericOp op : consumer.ops) {
    for (Value captured : capturedTensors(op))
      if (groupOf(captured.getDefiningOp()) == &producer)
        return std::nullopt;
    for (OpOperand *input : op.getDpsInputOperands())
      if (groupOf(input->get().getDefiningOp()) == &producer)
        shared = std::min(shared, identityPrefix(op.getMatchingIndexingMap(input)));
  }
  return shared;
}

// Whether followers of a contraction compute something without it that others read as well: this would have
// to be a generic of its own, beside the one that runs on the contraction's tiles.
static bool makeMore(const Group &followers, const Group &contraction) {
  llvm::SmallPtrSet<Operation *, 16> after(contraction.ops.begin(), contraction.ops.end());
  return llvm::any_of(followers.ops, [&](GenericOp op) { // in program order
    if (llvm::any_of(op.getInputs(), [&](Value input) { return after.contains(input.getDefiningOp()); })) {
      after.insert(op);
      return false;
    }
    return llvm::any_of(op->getUsers(),
                        [&](Operation *user) { return !llvm::is_contained(followers.ops, user); });
  });
}

// Whether a consumer walks matrices that a product computes, and everything that the producer reads and
// computes is small beside them, as the mask of an attention is. With loops of its own, the consumer can
// become a step after the product (Chains.cpp), so that the matrices are never stored.
static bool isSmallBesideProducts(const Group &producer, const Group &consumer, const FusionCosts &costs) {
  int64_t matrices = 0;
  for (GenericOp op : consumer.ops)
    for (Value input : op.getInputs())
      if (auto product = input.getDefiningOp<GenericOp>(); product && isContraction(product))
        matrices = std::max(matrices, bytesOf(input));
  auto isSmall = [&](Value tensor) { return isSmallBeside(bytesOf(tensor), matrices); };
  return costs.memory.isFar(matrices) && llvm::all_of(producer.ops, [&](GenericOp op) {
           return llvm::all_of(op->getOperands(), isSmall) && llvm::all_of(capturedTensors(op), isSmall) &&
                  llvm::all_of(op->getResults(), isSmall);
         });
}

// Whether a group can be an epilogue of a product: elementwise operations on the product's own loops, read
// and written row by row.
static bool follows(const Group &consumer, unsigned loops, const FusionCosts &costs) {
  return llvm::all_of(consumer.ops, [&](GenericOp op) {
    return isElementwise(op) && op.getNumLoops() == loops &&
           llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap whole) {
             AffineMap map = withoutCuts(whole);
             return map.isProjectedPermutation() &&
                    (costs.anyOrder ||
                     llvm::is_sorted(map.getResults(), [](mlir::AffineExpr a, mlir::AffineExpr b) {
                       return mlir::cast<mlir::AffineDimExpr>(a).getPosition() <
                              mlir::cast<mlir::AffineDimExpr>(b).getPosition();
                     }));
           });
  });
}

/// Why a merge does not pay; nullopt where it does.
std::optional<Refusal> Grouping::refusalOf(Group &producer, Group &consumer, unsigned shared) const {
  using Reason = Refusal::Reason;
  if (producer.isContraction) {
    if (shared != producer.shared)
      return Refusal{Reason::OtherLoops, shared, producer.shared};
    if (makeMore(consumer, producer))
      return Refusal{Reason::MakesMore};
    return follows(consumer, shared, costs) ? std::nullopt : std::optional(Refusal{Reason::NotOnTiles});
  }
  // Two reductions of everything have no loop to share, and stay apart.
  auto reduces = [](const Group &group) {
    return llvm::any_of(group.ops, [](GenericOp op) { return !isElementwise(op); });
  };
  bool keepsAll = shared == producer.shared && shared == consumer.shared;
  if (keepsAll)
    return shared > 0 || !reduces(producer) || !reduces(consumer) ? std::nullopt
                                                                  : std::optional(Refusal{Reason::TwoSums});
  if (shared == 0)
    return Refusal{Reason::NothingShared};
  if (isSmallBesideProducts(producer, consumer, costs))
    return Refusal{Reason::SmallBeside};
  // With fewer common loops, sums over columns would read one column at a time.
  if (!costs.anyOrder && (llvm::any_of(producer.ops, sumsColumns) || llvm::any_of(consumer.ops, sumsColumns)))
    return Refusal{Reason::Columns};
  int64_t iterations = 1;
  SmallVector<int64_t> sizes = consumer.sharedSizes();
  for (int64_t size : ArrayRef(sizes).take_front(shared))
    iterations *= size;
  return iterations >= costs.minShared
             ? std::nullopt
             : std::optional(Refusal{Reason::FewIterations, iterations, costs.minShared});
}

void Grouping::tryFollow(Group &producer, Group &consumer) {
  for (GenericOp op : consumer.ops)
    for (Value captured : capturedTensors(op))
      if (groupOf(captured.getDefiningOp()) == &producer)
        return;
  Group *step = nullptr;
  for (Group &candidate : producer.steps)
    for (GenericOp op : consumer.ops)
      for (OpOperand *input : op.getDpsInputOperands())
        if (llvm::is_contained(candidate.ops, input->get().getDefiningOp())) {
          if ((step && step != &candidate) ||
              identityPrefix(op.getMatchingIndexingMap(input)) != op.getNumLoops())
            return;
          step = &candidate;
        }
  if (!step || !follows(consumer, step->ops.front().getNumParallelLoops(), costs) ||
      makeMore(consumer, *step) || precedence.isBetween(producer.node, consumer.node))
    return;
  step->ops.append(consumer.ops);
  take(producer, consumer);
}

/// Moves all operations of the consumer to the producer.
void Grouping::take(Group &producer, Group &consumer) {
  precedence.merge(producer.node, consumer.node);
  for (GenericOp op : consumer.ops)
    byOp[op] = &producer;
  producer.ops.append(consumer.ops);
  llvm::sort(producer.ops, [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
  producer.operations += consumer.operations;
  consumer.ops.clear();
}

std::optional<Refusal> Grouping::tryMerge(Group &producer, Group &consumer) {
  using Reason = Refusal::Reason;
  // What a training step computes from hyperparameters alone is computed once, for all kernels.
  if (&producer == &consumer || producer.isScalars || consumer.isScalars || consumer.isTransient)
    return std::nullopt;
  if (consumer.isContraction)
    return Refusal{Reason::Product};
  if (producer.isScatter || consumer.isScatter)
    return Refusal{Reason::Scatter};
  if (const size_t operations = producer.operations + consumer.operations; operations > costs.maxOperations)
    return Refusal{Reason::TooLong, int64_t(operations), int64_t(costs.maxOperations)};
  if (producer.isTransient) {
    tryFollow(producer, consumer);
    return std::nullopt;
  }
  std::optional<unsigned> shared = sharedIfMerged(producer, consumer);
  if (!shared)
    return Refusal{Reason::Gathered};
  if (std::optional<Refusal> refusal = refusalOf(producer, consumer, *shared))
    return refusal;
  // A kernel has its results when it has run as a whole, so that no other kernel may read the producer and be
  // read by the consumer.
  if (precedence.isBetween(producer.node, consumer.node))
    return Refusal{Reason::Between};
  producer.shared = *shared;
  take(producer, consumer);
  return std::nullopt;
}

void Grouping::note(Value tensor, Operation *reader, std::optional<Refusal> refusal) {
  if (refusal)
    refusals[{tensor, reader}] = *refusal;
}

/// Bytes with every named dim at its bound, as users know it.
static int64_t bytesAtBounds(Value tensor, Operation *program) {
  int64_t bytes = dlc::elementBytes(tensor);
  for (const nn::Dim &dim : shapeOf(tensor))
    bytes *= train::sizeAtBound(dim, program);
  return bytes;
}

SmallVector<Apart> Grouping::apartOf(const Group &group) const {
  SmallVector<Apart> apart;
  llvm::SmallPtrSet<Value, 8> seen;
  auto add = [&](Value tensor, GenericOp reader, const Refusal &refusal) {
    if (groupOf(tensor.getDefiningOp()) != groupOf(reader) && seen.insert(tensor).second)
      apart.push_back({nodeName(tensor.getDefiningOp()->getLoc()).str(), nodeName(reader->getLoc()).str(),
                       bytesAtBounds(tensor, reader->getParentOfType<train::ProgramOp>()),
                       refusal.sentence()});
  };
  for (GenericOp reader : group.ops) {
    for (Value input : reader.getInputs())
      if (auto found = refusals.find({input, reader}); found != refusals.end())
        add(input, reader, found->second);
    for (Value captured : capturedTensors(reader))
      if (groupOf(captured.getDefiningOp()))
        add(captured, reader, {Refusal::Reason::Gathered});
  }
  return apart;
}

} // namespace dlc::fuse
