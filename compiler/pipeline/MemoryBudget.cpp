//===- MemoryBudget.cpp - as little is done more as a budget allows --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/MemoryBudget.h"
#include "compiler/pipeline/BudgetSearch.h"
#include "dialects/train/Train.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace dlc::pipeline {
namespace {

class Recompute : public PassWrapper<Recompute, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Recompute)

  explicit Recompute(const MachineModel &machine) : machine(machine) {}
  StringRef getArgument() const override { return "dlc-recompute"; }
  StringRef getDescription() const override { return "compute again what is not worth keeping"; }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    train::ProgramOp program = programOf(getOperation());
    fuse::RecomputeForwardOptions options = recomputeOptions(machine);
    if (std::optional<train::RecomputeAttr> chosen = program.getRecompute()) {
      options.price = chosen->getPrice();
      options.layers = chosen->getLayers();
      program.removeRecomputeAttr();
    }
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(fuse::createRecomputeForward(options));
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

private:
  MachineModel machine;
};

class MemoryBudget : public PassWrapper<MemoryBudget, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MemoryBudget)

  MemoryBudget(const Options &options, std::shared_ptr<const KernelTarget> target)
      : options(options), target(std::move(target)) {}
  StringRef getArgument() const override { return "dlc-memory-budget"; }
  StringRef getDescription() const override {
    return "choose what a memory budget has done again or in parts";
  }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    FailureOr<BudgetChoice> choice = searchBudget(getOperation(), options, *target);
    if (failed(choice))
      return signalPassFailure();
    train::ProgramOp program = programOf(getOperation());
    program.setBudgetAttr(train::BudgetAttr::get(&getContext(), *options.memoryBudget, choice->arenaWithout));
    program.setRecomputeAttr(train::RecomputeAttr::get(&getContext(), choice->price, choice->layers));
    if (choice->parts > 1)
      program.setBatchParts(choice->parts);
  }

private:
  Options options;
  std::shared_ptr<const KernelTarget> target;
};

} // namespace

std::unique_ptr<Pass> createRecompute(const MachineModel &machine, bool withBudget) {
  if (withBudget)
    return std::make_unique<Recompute>(machine);
  return fuse::createRecomputeForward(recomputeOptions(machine));
}

std::unique_ptr<Pass> createMemoryBudget(const Options &options, std::shared_ptr<const KernelTarget> target) {
  return std::make_unique<MemoryBudget>(options, std::move(target));
}

} // namespace dlc::pipeline
