//===- PhysicalForm.cpp - in which order a weight's dims lie in memory -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix is stored in the form in which vectors are full. For example, a last layer with ten outputs is
// stored as [out][in], so that its gradient and its update run along `in`. If both dims fill vectors, the
// forward product decides: it then reads the weight along vectors without a transpose, and so does the weight
// gradient.
//
// A weight with many columns lies in panels as wide as a register tile. What a thread reads and updates, all
// rows of some columns, is then one piece of memory, which caches fetch ahead; row-major, it is a piece of
// each row.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Stages.h"

using namespace mlir;

namespace dlc::schedule {
namespace {

// What fits a first-level cache need not be fetched ahead.
constexpr int64_t smallBytes = 32 << 10;

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
      if (isMatrix(parameter) && canChange(family(parameter)))
        choose(parameter);
    for (auto kernel : program.getBody().getOps<train::KernelOp>())
      followMemory(kernel);
  }

private:
  static bool isMatrix(train::StateOp parameter);
  void choose(train::StateOp parameter);
  bool wantsTranspose(train::StateOp parameter);
  /// The value as an operand of the first contraction of the function, which is the forward product.
  OpOperand *firstProductOf(train::ReadOp read);
  /// Elements of a panel; 0 where the weight better lies in one piece.
  int64_t panelOf(ArrayRef<train::StateOp> states, int64_t columns);
  /// The states that have the parameter's form: itself, its slots and its gradient.
  SmallVector<train::StateOp> family(train::StateOp parameter);
  /// Whether every use is by launches and writes of the family, so that the form can change.
  bool canChange(ArrayRef<train::StateOp> states);
  void changeUses(Value value, const Form &form);
  void change(train::StateOp state, const Form &form);

  train::ProgramOp program;
  Kernels &kernels;
  const CpuTarget &target;
  DenseMap<StringAttr, SmallVector<train::ReadOp>> reads; ///< by symbol
  DenseMap<StringAttr, SmallVector<train::WriteOp>> writes;
  DenseMap<StringAttr, SmallVector<train::StateOp>> owned; ///< by the parameter that they belong to
  DenseSet<Value> changedValues;
};

SmallVector<train::StateOp> PhysicalForms::family(train::StateOp parameter) {
  SmallVector<train::StateOp> states{parameter};
  for (train::StateOp state : owned.lookup(parameter.getSymNameAttr()))
    if (state.getType() == parameter.getType())
      states.push_back(state);
  return states;
}

bool PhysicalForms::isMatrix(train::StateOp parameter) {
  auto type = cast<RankedTensorType>(parameter.getType());
  return parameter.getKind() == train::StateKind::Parameter && type.getRank() == 2 &&
         !llvm::is_contained(type.getShape(), 1);
}

bool PhysicalForms::wantsTranspose(train::StateOp parameter) {
  auto type = cast<RankedTensorType>(parameter.getType());
  double use0 = laneUse(type.getDimSize(0), target.lanes), use1 = laneUse(type.getDimSize(1), target.lanes);
  if (use0 != use1 && std::max(use0, use1) > 1.2 * std::min(use0, use1))
    return use0 > use1;
  for (train::ReadOp read : reads.lookup(parameter.getSymNameAttr()))
    if (OpOperand *operand = firstProductOf(read)) {
      auto kernel = operand->getOwner()->getParentOfType<train::KernelOp>();
      AffineMap map = rootOf(kernel).getMatchingIndexingMap(operand);
      auto outermost = dyn_cast<AffineDimExpr>(map.getResult(0));
      return outermost && int64_t(outermost.getPosition()) == laneLoopOf(kernel);
    }
  return false;
}

OpOperand *PhysicalForms::firstProductOf(train::ReadOp read) {
  train::LaunchOp first;
  OpOperand *found = nullptr;
  for (OpOperand &use : read.getValue().getUses()) {
    auto launch = dyn_cast<train::LaunchOp>(use.getOwner());
    train::KernelOp kernel = launch ? kernels.of(launch) : nullptr;
    if (!kernel || !train::contractionOf(kernel) || (first && first->isBeforeInBlock(launch)))
      continue;
    for (OpOperand *operand : rootOf(kernel).getDpsInputOperands())
      if (operand->get() == kernel.getBody().getArgument(use.getOperandNumber())) {
        first = launch;
        found = operand;
      }
  }
  return found;
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

int64_t PhysicalForms::panelOf(ArrayRef<train::StateOp> states, int64_t columns) {
  auto type = cast<RankedTensorType>(train::StateOp(states.front()).getType());
  int64_t width = 2 * target.lanes; // of a register tile
  bool isSmall = type.getNumElements() * type.getElementTypeBitWidth() / 8 < smallBytes;
  if (isSmall || target.lanes < 2 || columns % width != 0 || columns == width)
    return 0;
  // Contractions and elementwise kernels know panels.
  auto fits = [&](Operation *op) {
    auto launch = dyn_cast<train::LaunchOp>(op);
    if (!launch)
      return true;
    train::KernelOp kernel = kernels.of(launch);
    return train::contractionOf(kernel) ? laneLoopOf(kernel) >= 0 : isElementwise(kernel);
  };
  bool all = llvm::all_of(states, [&](train::StateOp state) {
    return llvm::all_of(reads.lookup(state.getSymNameAttr()),
                        [&](train::ReadOp read) { return llvm::all_of(read.getValue().getUsers(), fits); }) &&
           llvm::all_of(writes.lookup(state.getSymNameAttr()), [&](train::WriteOp write) {
             return fits(write.getValue().getDefiningOp()) && llvm::all_of(write.getValue().getUsers(), fits);
           });
  });
  return all ? width : 0;
}

void PhysicalForms::changeUses(Value value, const Form &form) {
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses()))
    if (auto launch = dyn_cast<train::LaunchOp>(use.getOwner()))
      changeArgument(kernels.ownedBy(launch), use.getOperandNumber(), form);
  value.setType(form.of(cast<RankedTensorType>(value.getType())));
}

void PhysicalForms::change(train::StateOp state, const Form &form) {
  if (form.permutation[0] != 0)
    state.setPermutation(form.permutation);
  if (form.panel)
    state.setPanel(form.panel);
  for (train::ReadOp read : reads.lookup(state.getSymNameAttr()))
    changeUses(read.getValue(), form);
  for (train::WriteOp write : writes.lookup(state.getSymNameAttr())) {
    // A value may be written to two states of a family, or be read from one.
    if (!changedValues.insert(write.getValue()).second)
      continue;
    auto result = cast<OpResult>(write.getValue());
    changeResult(kernels.ownedBy(cast<train::LaunchOp>(result.getOwner())), result.getResultNumber(), form);
    changeUses(result, form);
  }
}

void PhysicalForms::choose(train::StateOp parameter) {
  SmallVector<train::StateOp> states = family(parameter);
  bool transposed = wantsTranspose(parameter);
  int64_t panel = panelOf(states, cast<RankedTensorType>(parameter.getType()).getDimSize(transposed ? 0 : 1));
  Form form{transposed ? SmallVector<int64_t, 4>{1, 0} : SmallVector<int64_t, 4>{0, 1}, panel};
  if (transposed || panel)
    for (train::StateOp state : states)
      change(state, form);
}

} // namespace

void choosePhysicalForms(train::ProgramOp program, Kernels &kernels, const CpuTarget &target) {
  PhysicalForms(program, kernels, target).run();
}

} // namespace dlc::schedule
