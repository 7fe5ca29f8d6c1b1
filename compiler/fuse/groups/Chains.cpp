//===- Chains.cpp - which groups run as steps of one kernel ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of many small matrices hands a large tensor to what follows, but each of its matrices is small.
// Where both go through the matrices in the same order, they are steps of one kernel: it runs all of them for
// one matrix before the next, and what they hand to each other never leaves the cache.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/groups/Groups.h"
#include "compiler/fuse/groups/Joint.h"
#include <map>

namespace dlc::fuse {

// Whether the group only moves elements: a kernel of its own does that in squares.
static bool onlyMoves(const Group &group) { return llvm::all_of(group.ops, isMove); }

// Whether the tensors handed on in one iteration fit the cache of a core, beside what the steps read. If not,
// shares one more loop in blocks: what each block reads again must then fit that cache as well, or take less
// time to read than the block takes to compute.
static bool isNear(Joint &joint, const FusionCosts &costs) {
  auto fits = [&] { return joint.liveBytes() <= costs.memory.nearBytes / 4 * 3; };
  if (fits())
    return true;
  return joint.tile() && fits() &&
         (joint.readAgainBytes() <= costs.memory.nearBytes / 2 ||
          costs.memory.toMove(joint.readAgainBytes()) <= joint.operations());
}

std::optional<Refusal> Grouping::tryChain(Group &producer, Group &consumer) {
  auto mayBeStep = [](const Group &group) {
    return !group.isScalars && !group.isScatter && !onlyMoves(group) &&
           llvm::none_of(group.ops, isDepthwise); // whose channels are not apart
  };
  if (&producer == &consumer || !mayBeStep(producer) || !mayBeStep(consumer) ||
      producer.operations + consumer.operations > costs.maxOperations)
    return std::nullopt;
  auto hasProduct = [](Group &group) {
    return llvm::any_of(group.stepsOrSelf(), [](const Group &step) { return step.isContraction; });
  };
  if (!hasProduct(producer) && !hasProduct(consumer))
    return std::nullopt;
  Joint joint(producer, consumer, costs.block);
  // Tensors that fit the cache of a core as a whole need no common loop.
  if (!joint.isAny() || !costs.memory.isFar(joint.handedBytes(producer, consumer)))
    return std::nullopt;
  if (!isNear(joint, costs))
    return Refusal{Refusal::Reason::LargerThanCache, joint.liveBytes(), costs.memory.nearBytes / 4 * 3};
  if (joint.iterations() < costs.minShared)
    return Refusal{Refusal::Reason::FewIterations, joint.iterations(), costs.minShared};
  if (precedence.isBetween(producer.node, consumer.node))
    return Refusal{Refusal::Reason::Between};
  for (GenericOp op : consumer.ops)
    for (Value captured : capturedTensors(op))
      if (groupOf(captured.getDefiningOp()) == &producer)
        return Refusal{Refusal::Reason::Gathered};

  chain(joint, producer, consumer);
  return std::nullopt;
}

void Grouping::chain(const Joint &joint, Group &producer, Group &consumer) {
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

// Tries the largest tensors first, so that a chain formed for a small tensor cannot prevent one for a large
// tensor.
void Grouping::formChains(mlir::Block &block) {
  std::map<int64_t, SmallVector<OpOperand *>, std::greater<>> bySize; // in program order where equal
  for (GenericOp op : block.getOps<GenericOp>())
    for (OpOperand *input : op.getDpsInputOperands())
      if (groupOf(input->get().getDefiningOp()))
        bySize[bytesInside(mlir::cast<OpResult>(input->get()), {})].push_back(input);
  for (auto &[bytes, operands] : bySize)
    for (OpOperand *input : operands)
      note(input->get(), input->getOwner(),
           tryChain(*groupOf(input->get().getDefiningOp()), *groupOf(input->getOwner())));
}

} // namespace dlc::fuse
