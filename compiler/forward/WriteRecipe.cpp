//===- WriteRecipe.cpp - the pass dlc-recipe -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/forward/Passes.h"
#include "dialects/train/Recipe.h"

using namespace mlir;

namespace dlc::forward {
#define GEN_PASS_DEF_RECIPE
#include "compiler/forward/Passes.h.inc"

namespace {
struct RecipePass : public impl::RecipeBase<RecipePass> {
  using RecipeBase::RecipeBase;

  void runOnOperation() override {
    train::RecipeSettings settings;
    for (StringRef text : *set)
      settings.emplace_back(text.split('=').first, text.split('=').second);
    for (auto program : getOperation().getOps<train::ProgramOp>())
      if (failed(train::addToRecipe(program, settings)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace dlc::forward
