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

  MemoryBudget(int64_t budget, const CpuTarget &target) : budget(budget), target(target) {}
  StringRef getArgument() const override { return "dlc-memory-budget"; }
  StringRef getDescription() const override { return "compute again what a memory budget has no room for"; }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    train::ProgramOp program = *getOperation().getOps<train::ProgramOp>().begin();
    FailureOr<int64_t> without = arenaAt(0), price = failure();
    if (succeeded(without))
      price = *without <= budget ? 0 : findPrice(program, *without);
    if (failed(price))
      return signalPassFailure();
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createRecompute(*price, target));
    if (failed(runPipeline(passes, getOperation())))
      return signalPassFailure();
    Builder b(&getContext());
    program->setAttr("memory_budget", b.getI64IntegerAttr(budget));
    program->setAttr("arena_bytes_without_budget", b.getI64IntegerAttr(*without));
  }

private:
  FailureOr<int64_t> arenaAt(int64_t price) {
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    PassManager passes(&getContext(), ModuleOp::getOperationName());
    passes.addPass(createRecompute(price, target));
    addKernelPasses(passes, target, Stage::Plan);
    if (failed(passes.run(*copy)))
      return failure();
    train::ProgramOp program = *copy->getOps<train::ProgramOp>().begin();
    return program->getAttrOfType<IntegerAttr>("arena_bytes").getInt();
  }

  /// Prices are doubled until the arena fits; then the last step is halved a few times.
  FailureOr<int64_t> findPrice(train::ProgramOp program, int64_t without) {
    constexpr int64_t lowest = 8, highest = 1 << 15;
    constexpr int halvings = 3;
    int64_t smallest = without;
    for (int64_t price = lowest; price <= highest; price *= 2) {
      FailureOr<int64_t> arena = arenaAt(price);
      if (failed(arena))
        return failure();
      smallest = std::min(smallest, *arena);
      if (*arena > budget)
        continue;
      int64_t low = price / 2, high = price;
      for (int i = 0; i < halvings && high - low > 1; ++i) {
        int64_t middle = (low + high) / 2;
        FailureOr<int64_t> between = arenaAt(middle);
        if (failed(between))
          return failure();
        (*between <= budget ? high : low) = middle;
      }
      return high;
    }
    return program.emitError("the memory budget is ")
           << budget << " bytes, but the arena of '" << program.getSymName() << "' needs at least "
           << smallest << " (" << without << " without a budget), of which " << stateBytes(program)
           << " are parameters and what training keeps of them: raise --memory-budget, or make the batch "
              "smaller";
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
  CpuTarget target;
};

} // namespace

std::unique_ptr<Pass> createRecompute(int64_t price, const CpuTarget &target) {
  fuse::RecomputeForwardOptions options;
  options.price = price;
  options.nearBytes = target.costs.l2Bytes;
  return fuse::createRecomputeForward(options);
}

std::unique_ptr<Pass> createMemoryBudget(int64_t bytes, const CpuTarget &target) {
  return std::make_unique<MemoryBudget>(bytes, target);
}

} // namespace dlc::pipeline
