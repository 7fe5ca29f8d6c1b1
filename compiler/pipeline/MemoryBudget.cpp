//===- MemoryBudget.cpp - as little is recomputed as a budget allows -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large the arena becomes is known when everything is planned: which values kernels hand on in registers,
// what is written over what. So a copy of the program goes through the stages that follow, for one price
// after the other.
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/MemoryBudget.h"
#include "compiler/fuse/Passes.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/support/Elements.h"
#include "dialects/train/Train.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace dlc::pipeline {
namespace {

class MemoryBudget : public PassWrapper<MemoryBudget, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MemoryBudget)

  MemoryBudget(int64_t budget, const Machine &machine) : budget(budget), machine(machine) {}
  StringRef getArgument() const override { return "dlc-memory-budget"; }
  StringRef getDescription() const override { return "compute again what a memory budget has no room for"; }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    train::ProgramOp program = *getOperation().getOps<train::ProgramOp>().begin();
    FailureOr<Outcome> without = outcomeAt({});
    if (failed(without))
      return signalPassFailure();
    Choice choice;
    if (without->arena > budget) {
      FailureOr<Choice> found = search(program, without->arena);
      if (failed(found))
        return signalPassFailure();
      choice = *found;
    }
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createRecompute(choice.price, choice.layers, machine.vectors));
    if (failed(runPipeline(passes, getOperation())))
      return signalPassFailure();
    Builder b(&getContext());
    program->setAttr("memory_budget", b.getI64IntegerAttr(budget));
    program->setAttr("arena_bytes_without_budget", b.getI64IntegerAttr(without->arena));
  }

private:
  /// What dlc-recompute-forward is told.
  struct Choice {
    int64_t price = 0, layers = 1;
  };
  struct Outcome {
    int64_t arena = 0;
    int64_t again = 0; ///< the share of operations that are done again, in thousandths
  };

  FailureOr<Outcome> outcomeAt(Choice choice) {
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    PassManager passes(&getContext(), ModuleOp::getOperationName());
    passes.addPass(createRecompute(choice.price, choice.layers, machine.vectors));
    addKernelPasses(passes, machine, Stage::Plan);
    if (failed(passes.run(*copy)))
      return failure();
    train::ProgramOp program = *copy->getOps<train::ProgramOp>().begin();
    Outcome outcome{program->getAttrOfType<IntegerAttr>("arena_bytes").getInt(), 0};
    for (auto function : program.getBody().getOps<train::FunctionOp>())
      if (auto permille = function->getAttrOfType<IntegerAttr>("recomputed_permille"))
        outcome.again = std::max(outcome.again, permille.getInt());
    return outcome;
  }

  /// The choice that fits with the fewest operations, of those for a few numbers of layers: with one, prices
  /// differ between all values, and a little is gained for little; with more, all layers but the last are
  /// made again alike.
  FailureOr<Choice> search(train::ProgramOp program, int64_t without) {
    std::optional<Choice> best;
    int64_t fewest = 0, smallest = without;
    for (int64_t layers : {1, 8}) {
      FailureOr<std::optional<Choice>> found = searchWith(layers, smallest);
      if (failed(found))
        return failure();
      if (!*found)
        continue;
      FailureOr<Outcome> outcome = outcomeAt(**found);
      if (failed(outcome))
        return failure();
      if (!best || outcome->again < fewest) {
        best = *found;
        fewest = outcome->again;
      }
    }
    if (best)
      return *best;
    return program.emitError("the memory budget is ")
           << budget << " bytes, but the arena of '" << program.getSymName() << "' needs at least "
           << smallest << " (" << without << " without a budget), of which " << stateBytes(program)
           << " are parameters and what training keeps of them: raise --memory-budget, or make the batch "
              "smaller";
  }

  /// Prices are doubled until the arena fits; then the last step is halved a few times. Nothing where no
  /// price fits. Lowers `smallest` to the smallest arena that was seen.
  FailureOr<std::optional<Choice>> searchWith(int64_t layers, int64_t &smallest) {
    constexpr int64_t lowest = 8, highest = 1 << 13;
    constexpr int halvings = 3;
    for (int64_t price = lowest; price <= highest; price *= 2) {
      FailureOr<Outcome> outcome = outcomeAt({price, layers});
      if (failed(outcome))
        return failure();
      smallest = std::min(smallest, outcome->arena);
      if (outcome->arena > budget)
        continue;
      int64_t low = price / 2, high = price;
      for (int i = 0; i < halvings && high - low > 1; ++i) {
        int64_t middle = (low + high) / 2;
        FailureOr<Outcome> between = outcomeAt({middle, layers});
        if (failed(between))
          return failure();
        (between->arena <= budget ? high : low) = middle;
      }
      return std::optional<Choice>({high, layers});
    }
    return std::optional<Choice>();
  }

  static int64_t stateBytes(train::ProgramOp program) {
    int64_t bytes = 0;
    for (auto state : program.getBody().getOps<train::StateOp>()) {
      auto type = cast<ShapedType>(state.getType());
      bytes += type.getNumElements() * elementBytes(type);
    }
    return bytes;
  }

  int64_t budget;
  Machine machine;
};

} // namespace

std::unique_ptr<Pass> createRecompute(int64_t price, int64_t layers, const CpuTarget &target) {
  fuse::RecomputeForwardOptions options;
  options.price = price;
  options.layers = layers;
  options.nearBytes = target.costs.l2Bytes;
  return fuse::createRecomputeForward(options);
}

std::unique_ptr<Pass> createMemoryBudget(int64_t bytes, const Machine &machine) {
  return std::make_unique<MemoryBudget>(bytes, machine);
}

} // namespace dlc::pipeline
