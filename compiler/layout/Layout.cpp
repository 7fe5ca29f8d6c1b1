//===- Layout.cpp - the stage layout ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/Moves.h"
#include "compiler/layout/PaddingInPlace.h"
#include "compiler/layout/Panels.h"
#include "compiler/layout/Parts.h"
#include "compiler/layout/Passes.h"
#include "compiler/layout/Rewrite.h"
#include "compiler/machine/NamedTarget.h"
#include "dialects/nn/NN.h"

using namespace mlir;

namespace dlc::layout {

#define GEN_PASS_DEF_LAYOUT
#include "compiler/layout/Passes.h.inc"

namespace {
struct LayoutPass : public impl::LayoutBase<LayoutPass> {
  using LayoutBase::LayoutBase;
  explicit LayoutPass(CpuTarget target) : target(std::move(target)) {}

  void runOnOperation() override {
    if (!target) { // run alone: the options say which
      FailureOr<CpuTarget> named = namedTarget(getOperation(), triple, cpu);
      if (failed(named))
        return signalPassFailure();
      target = std::move(*named);
    }
    WalkResult lowered = getOperation().walk([](Operation *op) -> WalkResult {
      bool isOperation = op->getName().getDialectNamespace() == nn::NNDialect::getDialectNamespace();
      return isOperation ? op->emitOpError("is not expected: the stage lower makes it loop nests")
                         : WalkResult::advance();
    });
    if (lowered.wasInterrupted())
      return signalPassFailure();
    for (auto program : getOperation().getOps<train::ProgramOp>()) {
      for (auto function : program.getOps<train::FunctionOp>())
        foldMoves(function);
      Plan plan(program, *target);
      // Layouts of states are chosen before functions are rewritten, since they depend on what functions do
      // with states.
      SmallVector<std::pair<train::StateOp, train::LayoutAttr>> layouts;
      llvm::DenseSet<unsigned> withoutPanels = componentsWithoutPanels(program, plan);
      for (auto state : program.getOps<train::StateOp>())
        if (train::LayoutAttr layout = layoutOf(state, plan, *target, withoutPanels))
          layouts.push_back({state, layout});
      for (auto [state, layout] : layouts)
        state.setLayoutAttr(layout);
      for (auto function : program.getOps<train::FunctionOp>()) {
        layOut(function, plan);
        padInPlace(function);
        settleParts(function);
      }
    }
  }

  std::optional<CpuTarget> target;
};
} // namespace

std::unique_ptr<Pass> createLayoutFor(CpuTarget target) {
  return std::make_unique<LayoutPass>(std::move(target));
}

} // namespace dlc::layout
