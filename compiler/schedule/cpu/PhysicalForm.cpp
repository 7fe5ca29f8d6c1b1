//===- PhysicalForm.cpp - in which order a weight's dims lie in memory -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix lies so that its vectors are full: a head with ten outputs is kept as [out][in], so that its
// gradient and update run along `in`. Where both dims fill vectors, the forward product decides: it then
// reads the weight along vectors as it is, and so does its weight gradient.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Stages.h"

using namespace mlir;

namespace dlc::schedule {
namespace {

class PhysicalForms {
public:
  PhysicalForms(train::ProgramOp program, const CpuTarget &target)
      : program(program), target(target) {}

  void run() {
    for (auto parameter : llvm::to_vector(program.getBody().getOps<train::StateOp>()))
      if (parameter.getKind() == train::StateKind::Parameter && wantsTranspose(parameter))
        transpose(parameter);
  }

private:
  bool wantsTranspose(train::StateOp parameter);
  void transpose(train::StateOp parameter);
  /// The states that have the parameter's form: itself, its slots and its gradient.
  SmallVector<train::StateOp> family(train::StateOp parameter);
  /// Whether every use is by launches and writes of the family, so that the form can change.
  bool canChange(ArrayRef<train::StateOp> states);
  void permuteState(train::StateOp state, ArrayRef<int64_t> permutation);

  train::ProgramOp program;
  const CpuTarget &target;
  DenseSet<Value> permutedValues;
};

SmallVector<train::StateOp> PhysicalForms::family(train::StateOp parameter) {
  SmallVector<train::StateOp> states{parameter};
  for (auto state : program.getBody().getOps<train::StateOp>())
    if (state.getOwner() && *state.getOwner() == parameter.getSymName() && state.getType() == parameter.getType())
      states.push_back(state);
  return states;
}

bool PhysicalForms::wantsTranspose(train::StateOp parameter) {
  auto type = cast<RankedTensorType>(parameter.getType());
  if (type.getRank() != 2 || llvm::is_contained(type.getShape(), 1))
    return false;
  if (!canChange(family(parameter)))
    return false;
  double use0 = laneUse(type.getDimSize(0), target.lanes), use1 = laneUse(type.getDimSize(1), target.lanes);
  if (use0 != use1 && std::max(use0, use1) > 1.2 * std::min(use0, use1))
    return use0 > use1;
  // The first contraction that reads the weight is the forward product.
  WalkResult result = program.walk([&](train::LaunchOp launch) {
    // Transposing gives launches kernels of their own, so no table is kept.
    auto kernel = SymbolTable::lookupNearestSymbolFrom<train::KernelOp>(launch, launch.getKernelAttr());
    if (kernel.getEmitter() != train::Emitter::Contraction)
      return WalkResult::advance();
    linalg::GenericOp root = rootOf(kernel);
    for (auto [index, input] : llvm::enumerate(launch.getInputs())) {
      auto read = input.getDefiningOp<train::ReadOp>();
      if (!read || read.getSymbol() != parameter.getSymName())
        continue;
      for (OpOperand *operand : root.getDpsInputOperands())
        if (operand->get() == kernel.getBody().getArgument(index)) {
          // Along the loop of dim 0, which is outermost now, lie the product's columns?
          auto first = dyn_cast<AffineDimExpr>(root.getMatchingIndexingMap(operand).getResult(0));
          return first && int64_t(first.getPosition()) == laneLoopOf(kernel) ? WalkResult::interrupt()
                                                                           : WalkResult::skip();
        }
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool PhysicalForms::canChange(ArrayRef<train::StateOp> states) {
  auto isMember = [&](StringRef symbol) {
    return llvm::any_of(states, [&](train::StateOp s) { return s.getSymName() == symbol; });
  };
  WalkResult result = program.walk([&](Operation *op) {
    if (auto read = dyn_cast<train::ReadOp>(op); read && isMember(read.getSymbol())) {
      for (Operation *user : read.getValue().getUsers())
        if (!isa<train::LaunchOp>(user))
          return WalkResult::interrupt();
    }
    if (auto write = dyn_cast<train::WriteOp>(op); write && isMember(write.getSymbol())) {
      if (!write.getValue().getDefiningOp<train::LaunchOp>())
        return WalkResult::interrupt();
      for (Operation *user : write.getValue().getUsers()) {
        auto other = dyn_cast<train::WriteOp>(user);
        if (!isa<train::LaunchOp>(user) && !(other && isMember(other.getSymbol())))
          return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

static void permuteUses(Value value, ArrayRef<int64_t> permutation) {
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses()))
    if (auto launch = dyn_cast<train::LaunchOp>(use.getOwner()))
      permuteArgument(ownKernel(launch), use.getOperandNumber(), permutation);
  value.setType(permuted(cast<RankedTensorType>(value.getType()), permutation));
}

void PhysicalForms::permuteState(train::StateOp state, ArrayRef<int64_t> permutation) {
  state.setPermutation(permutation);
  program.walk([&](Operation *op) {
    if (auto read = dyn_cast<train::ReadOp>(op); read && read.getSymbol() == state.getSymName())
      permuteUses(read.getValue(), permutation);
    auto write = dyn_cast<train::WriteOp>(op);
    // A value may be written to two states of a family, or be read from one.
    if (!write || write.getSymbol() != state.getSymName() || !permutedValues.insert(write.getValue()).second)
      return;
    auto result = cast<OpResult>(write.getValue());
    permuteResult(ownKernel(cast<train::LaunchOp>(result.getOwner())), result.getResultNumber(), permutation);
    permuteUses(result, permutation);
  });
}

void PhysicalForms::transpose(train::StateOp parameter) {
  for (train::StateOp state : family(parameter))
    permuteState(state, {1, 0});
}

} // namespace

void choosePhysicalForms(train::ProgramOp program, const CpuTarget &target) {
  PhysicalForms(program, target).run();
}

} // namespace dlc::schedule
