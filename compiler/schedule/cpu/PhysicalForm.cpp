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
  PhysicalForms(train::ProgramOp program, Kernels &kernels, const CpuTarget &target)
      : program(program), kernels(kernels), target(target) {
    program.walk([&](train::ReadOp read) { reads[read.getSymbolAttr().getAttr()].push_back(read); });
    program.walk([&](train::WriteOp write) { writes[write.getSymbolAttr().getAttr()].push_back(write); });
    for (auto state : program.getBody().getOps<train::StateOp>())
      if (state.getOwnerAttr())
        owned[state.getOwnerAttr().getAttr()].push_back(state);
  }

  void run() {
    for (auto parameter : llvm::to_vector(program.getBody().getOps<train::StateOp>()))
      if (parameter.getKind() == train::StateKind::Parameter && wantsTranspose(parameter))
        transpose(parameter);
  }

private:
  bool wantsTranspose(train::StateOp parameter);
  /// Whether the product's columns lie along the loop of the operand's dim 0, which is outermost now.
  bool hasColumnsInRows(train::LaunchOp launch, unsigned index);
  void transpose(train::StateOp parameter);
  /// The states that have the parameter's form: itself, its slots and its gradient.
  SmallVector<train::StateOp> family(train::StateOp parameter);
  /// Whether every use is by launches and writes of the family, so that the form can change.
  bool canChange(ArrayRef<train::StateOp> states);
  void permuteUses(Value value, ArrayRef<int64_t> permutation);
  void permuteState(train::StateOp state, ArrayRef<int64_t> permutation);

  train::ProgramOp program;
  Kernels &kernels;
  const CpuTarget &target;
  DenseMap<StringAttr, SmallVector<train::ReadOp>> reads; ///< by symbol
  DenseMap<StringAttr, SmallVector<train::WriteOp>> writes;
  DenseMap<StringAttr, SmallVector<train::StateOp>> owned; ///< by the parameter that they belong to
  DenseSet<Value> permutedValues;
};

SmallVector<train::StateOp> PhysicalForms::family(train::StateOp parameter) {
  SmallVector<train::StateOp> states{parameter};
  for (train::StateOp state : owned.lookup(parameter.getSymNameAttr()))
    if (state.getType() == parameter.getType())
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
  return llvm::any_of(reads.lookup(parameter.getSymNameAttr()), [&](train::ReadOp read) {
    return llvm::any_of(read.getValue().getUses(), [&](OpOperand &use) {
      auto launch = dyn_cast<train::LaunchOp>(use.getOwner());
      return launch && hasColumnsInRows(launch, use.getOperandNumber());
    });
  });
}

bool PhysicalForms::hasColumnsInRows(train::LaunchOp launch, unsigned index) {
  train::KernelOp kernel = kernels.of(launch);
  if (kernel.getEmitter() != train::Emitter::Contraction)
    return false;
  linalg::GenericOp root = rootOf(kernel);
  for (OpOperand *operand : root.getDpsInputOperands())
    if (operand->get() == kernel.getBody().getArgument(index)) {
      auto first = dyn_cast<AffineDimExpr>(root.getMatchingIndexingMap(operand).getResult(0));
      return first && int64_t(first.getPosition()) == laneLoopOf(kernel);
    }
  return false;
}

bool PhysicalForms::canChange(ArrayRef<train::StateOp> states) {
  auto isMember = [&](StringRef symbol) {
    return llvm::any_of(states, [&](train::StateOp s) { return s.getSymName() == symbol; });
  };
  auto isLaunchOrWrite = [&](Operation *user) {
    auto write = dyn_cast<train::WriteOp>(user);
    return isa<train::LaunchOp>(user) || (write && isMember(write.getSymbol()));
  };
  return llvm::all_of(states, [&](train::StateOp state) {
    return llvm::all_of(reads.lookup(state.getSymNameAttr()),
                        [](train::ReadOp read) {
                          return llvm::all_of(read.getValue().getUsers(), llvm::IsaPred<train::LaunchOp>);
                        }) &&
           llvm::all_of(writes.lookup(state.getSymNameAttr()), [&](train::WriteOp write) {
             return write.getValue().getDefiningOp<train::LaunchOp>() &&
                    llvm::all_of(write.getValue().getUsers(), isLaunchOrWrite);
           });
  });
}

void PhysicalForms::permuteUses(Value value, ArrayRef<int64_t> permutation) {
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses()))
    if (auto launch = dyn_cast<train::LaunchOp>(use.getOwner()))
      permuteArgument(kernels.ownedBy(launch), use.getOperandNumber(), permutation);
  value.setType(permuted(cast<RankedTensorType>(value.getType()), permutation));
}

void PhysicalForms::permuteState(train::StateOp state, ArrayRef<int64_t> permutation) {
  state.setPermutation(permutation);
  for (train::ReadOp read : reads.lookup(state.getSymNameAttr()))
    permuteUses(read.getValue(), permutation);
  for (train::WriteOp write : writes.lookup(state.getSymNameAttr())) {
    // A value may be written to two states of a family, or be read from one.
    if (!permutedValues.insert(write.getValue()).second)
      continue;
    auto result = cast<OpResult>(write.getValue());
    permuteResult(kernels.ownedBy(cast<train::LaunchOp>(result.getOwner())), result.getResultNumber(), permutation);
    permuteUses(result, permutation);
  }
}

void PhysicalForms::transpose(train::StateOp parameter) {
  for (train::StateOp state : family(parameter))
    permuteState(state, {1, 0});
}

} // namespace

void choosePhysicalForms(train::ProgramOp program, Kernels &kernels, const CpuTarget &target) {
  PhysicalForms(program, kernels, target).run();
}

} // namespace dlc::schedule
