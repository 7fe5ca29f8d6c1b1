//===- BudgetSearch.cpp - what a memory budget leads to --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large the arena becomes is known when everything is planned: which values kernels hand on in registers,
// what is written over what. So copies of the program go through the stages that follow: for one number of
// parts after the other as far as the stage layout, and from there for one price after the other.
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/BudgetSearch.h"
#include "compiler/backward/BatchInParts.h"
#include "compiler/backward/Functions.h"
#include "compiler/fuse/Costs.h"
#include "compiler/fuse/Samples.h"
#include "compiler/support/Elements.h"
#include "mlir/Pass/PassManager.h"
#include <limits>

using namespace mlir;

namespace dlc::pipeline {
namespace {

/// What a training step does, for comparisons.
int64_t operationsOf(ModuleOp laidOut) {
  int64_t most = 0;
  for (auto function : programOf(laidOut).getBody().getOps<train::FunctionOp>()) {
    int64_t operations = 0;
    for (auto op : function.getBody().getOps<linalg::GenericOp>())
      operations += fuse::workOf(op);
    most = std::max(most, operations);
  }
  return std::max<int64_t>(most, 1);
}

int64_t bytesOfStates(train::ProgramOp program, llvm::function_ref<bool(train::StateOp)> isWanted) {
  int64_t bytes = 0;
  for (auto state : program.getBody().getOps<train::StateOp>())
    if (auto type = cast<ShapedType>(state.getType()); isWanted(state))
      bytes += type.getNumElements() * elementBytes(type);
  return bytes;
}

/// The function that the working memory is as large for.
std::string whereFullest(train::ProgramOp planned) {
  auto bytes = [](train::FunctionOp function) { return function.getPlan()->getWorking(); };
  auto functions = llvm::to_vector(planned.getBody().getOps<train::FunctionOp>());
  train::FunctionOp fullest =
      *llvm::max_element(functions, [&](auto a, auto b) { return bytes(a) < bytes(b); });
  std::string name = ("'" + fullest.getSymName() + "'").str();
  if (std::optional<int64_t> parts = fullest.getBatchParts())
    name += " in " + std::to_string(*parts) + " parts";
  return name;
}

class Search {
public:
  Search(ModuleOp module, const KernelTarget &target, int64_t budget)
      : module(module), target(target), budget(budget) {}

  FailureOr<BudgetChoice> run() {
    FailureOr<OwningOpRef<ModuleOp>> whole = lowered(1);
    if (failed(whole))
      return failure();
    reason = backward::whatKeepsBatchWhole(programOf(module));
    OwningOpRef<ModuleOp> beforeLayout = (*whole)->clone();
    if (failed(layOut(**whole)))
      return failure();
    FailureOr<BudgetChoice> first = outcomeAt(**whole, {});
    if (failed(first))
      return failure();
    without = arena;
    states = bytesOfStates(programOf(**whole), [](train::StateOp) { return true; });
    if (arena <= budget) {
      first->arenaWithout = without;
      return *first;
    }
    operations = operationsOf(**whole);
    gradients = bytesOfStates(programOf(**whole), [](train::StateOp state) {
      return state.getKind() == train::StateKind::Gradient && state.getOwner();
    });
    if (failed(considerPrices(**whole, 1)) || failed(considerParts(*beforeLayout)))
      return failure();
    if (!best)
      return tooSmall();
    best->arenaWithout = without;
    return *best;
  }

private:
  /// The program after the stage lower, with its batch in so many parts.
  FailureOr<OwningOpRef<ModuleOp>> lowered(int64_t parts) {
    OwningOpRef<ModuleOp> copy = module.clone();
    if (parts > 1)
      programOf(*copy).setBatchParts(parts);
    PassManager passes(copy->getContext(), ModuleOp::getOperationName());
    addStepPasses(passes, Stage::Lower);
    if (failed(passes.run(*copy)))
      return failure();
    return std::move(copy);
  }
  LogicalResult layOut(ModuleOp lowered) {
    PassManager passes(lowered.getContext(), ModuleOp::getOperationName());
    addLayoutPasses(passes, target.model());
    return passes.run(lowered);
  }

  /// What it takes; the size that the arena has then is in `arena`.
  FailureOr<BudgetChoice> outcomeAt(ModuleOp laidOut, BudgetChoice choice) {
    OwningOpRef<ModuleOp> copy = laidOut.clone();
    PassManager passes(copy->getContext(), ModuleOp::getOperationName());
    fuse::RecomputeForwardOptions prices = recomputeOptions(target.model());
    prices.price = choice.price;
    prices.layers = choice.layers;
    passes.addPass(fuse::createRecomputeForward(prices));
    addKernelPasses(passes, target, Stage::Plan);
    if (failed(passes.run(*copy)))
      return failure();
    arena = programOf(*copy).getPlan()->getArena();
    if (arena < smallest) {
      smallest = arena;
      fullest = whereFullest(programOf(*copy));
    }
    for (auto function : programOf(*copy).getBody().getOps<train::FunctionOp>())
      if (std::optional<train::RecomputedAttr> recomputed = function.getRecomputed())
        choice.permille = std::max(choice.permille, recomputed->getPermille());
    // Each part reads and writes all gradients, which a step on the whole batch hands on in registers.
    if (choice.parts > 1) {
      const int64_t traffic = 2 * choice.parts * gradients * prices.operationsPerByte;
      choice.permille += int64_t(1000 * double(traffic) / double(operations));
    }
    return choice;
  }

  void consider(const BudgetChoice &choice) {
    if (!best || choice.permille < best->permille)
      best = choice;
  }

  /// Tries a few numbers of layers: with one, prices differ between all values, and a little is gained for
  /// little; with more, all layers but the last are made again alike.
  LogicalResult considerPrices(ModuleOp laidOut, int64_t parts) {
    for (int64_t layers : {1, 8})
      if (failed(considerPrices(laidOut, parts, layers)))
        return failure();
    return success();
  }

  /// Prices are doubled until the arena fits; then the last step is halved a few times.
  LogicalResult considerPrices(ModuleOp laidOut, int64_t parts, int64_t layers) {
    constexpr int64_t lowest = 8, highest = 1 << 13;
    constexpr int halvings = 3;
    for (int64_t price = lowest; price <= highest; price *= 2) {
      FailureOr<BudgetChoice> choice = outcomeAt(laidOut, {parts, price, layers});
      if (failed(choice))
        return failure();
      if (arena > budget)
        continue;
      int64_t low = price / 2;
      for (int i = 0; i < halvings && choice->price - low > 1; ++i) {
        FailureOr<BudgetChoice> between = outcomeAt(laidOut, {parts, (low + choice->price) / 2, layers});
        if (failed(between))
          return failure();
        if (arena <= budget)
          choice = between;
        else
          low = between->price;
      }
      consider(*choice);
      return success();
    }
    return success();
  }

  /// More parts take more time and less memory. So there are two candidates: the fewest that suffice without
  /// a price, and the number before with one. `whole` is as the stage lower leaves it.
  LogicalResult considerParts(ModuleOp whole) {
    if (reason)
      return success();
    train::ProgramOp program = programOf(whole);
    train::FunctionOp step = backward::findFunction(program, train::FunctionKind::TrainStep);
    const int64_t batch = train::batchDim(program).getBound();
    std::optional<std::pair<int64_t, OwningOpRef<ModuleOp>>> before;
    for (int64_t parts = 2; parts <= batch; ++parts) {
      if (batch % parts != 0)
        continue;
      if (std::optional<std::string> joins = fuse::whatJoinsSamples(step, parts)) {
        reason = before ? std::nullopt : joins;
        break;
      }
      FailureOr<OwningOpRef<ModuleOp>> copy = lowered(parts);
      if (failed(copy) || failed(layOut(**copy)))
        return failure();
      FailureOr<BudgetChoice> choice = outcomeAt(**copy, {parts});
      if (failed(choice))
        return failure();
      if (arena <= budget) {
        consider(*choice);
        break;
      }
      before = {parts, std::move(*copy)};
    }
    return before ? considerPrices(*before->second, before->first) : success();
  }

  InFlightDiagnostic tooSmall() {
    train::ProgramOp program = programOf(module);
    InFlightDiagnostic error = program.emitError("the memory budget is ");
    error << budget << " bytes, but the arena of '" << program.getSymName() << "' needs at least " << smallest
          << " (" << without << " without a budget), of which " << states
          << " are parameters and what training keeps of them, and the others the working memory of "
          << fullest
          << ": raise --memory-budget, or make the batch "
             "smaller";
    if (reason)
      error << " (it is not gone over in parts, as " << *reason << ")";
    return error;
  }

  ModuleOp module; ///< before the stage backward
  const KernelTarget &target;
  int64_t budget, arena = 0, without = 0, states = 0, gradients = 0, operations = 1;
  int64_t smallest = std::numeric_limits<int64_t>::max();
  std::string fullest;               ///< of functions, where the arena is smallest
  std::optional<std::string> reason; ///< why the batch stays whole
  std::optional<BudgetChoice> best;
};

} // namespace

FailureOr<BudgetChoice> searchBudget(ModuleOp module, const Options &options, const KernelTarget &target) {
  return Search(module, target, *options.memoryBudget).run();
}

fuse::RecomputeForwardOptions recomputeOptions(const MachineModel &machine) {
  fuse::RecomputeForwardOptions options;
  options.nearBytes = machine.vectors.costs.l2Bytes;
  options.operationsPerByte = machine.operationsPerByte;
  return options;
}

} // namespace dlc::pipeline
