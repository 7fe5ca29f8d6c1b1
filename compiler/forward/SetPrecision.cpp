//===- SetPrecision.cpp - products of low precision ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of products are cast to the low type, and their sums stay in f32. Each product has casts of its
// own: the gradients that come back through them are then added up in f32. Equal casts become one behind the
// stage backward.
//
// A cast goes before operations that only move elements, where nothing else reads what they move: low
// elements are fewer bytes.
//===----------------------------------------------------------------------===//
#include "compiler/forward/Passes.h"
#include "dialects/nn/Dims.h"
#include "dialects/train/Precision.h"
#include "dialects/train/Recipe.h"

using namespace mlir;

namespace dlc::forward {
#define GEN_PASS_DEF_SETPRECISION
#include "compiler/forward/Passes.h.inc"

static RankedTensorType lowTypeOf(Value value, FloatType low) {
  return nn::tensorType(nn::shapeOf(value.getType()), low);
}

/// The operand in the low type: a cast of it, or of what is moved to make it.
static void lowerOperand(OpOperand &operand, FloatType low) {
  OpOperand *first = &operand;
  SmallVector<Value> moved;
  for (Operation *maker = first->get().getDefiningOp();
       maker && maker->hasTrait<nn::FollowsPrecision>() && first->get().hasOneUse();
       maker = first->get().getDefiningOp()) {
    moved.push_back(first->get());
    first = &maker->getOpOperand(0);
  }
  Operation *user = first->getOwner();
  OpBuilder b(user);
  first->set(nn::CastOp::create(b, user->getLoc(), first->get(), low));
  for (Value value : moved)
    value.setType(lowTypeOf(value, low));
}

static LogicalResult setPrecision(Operation &op, FloatType low) {
  for (OpOperand &operand : op.getOpOperands()) {
    Type element = getElementTypeOrSelf(operand.get().getType());
    if (isa<IntegerType>(element) || element == low)
      continue;
    if (!element.isF32())
      return op.emitError("a product of ") << element << " cannot be computed with --precision of " << low
                                           << ": expected a model of float32";
    lowerOperand(operand, low);
  }
  if (getElementTypeOrSelf(op.getOperand(0).getType()) == low)
    op.setAttr("wide", UnitAttr::get(op.getContext()));
  return success();
}

namespace {
struct SetPrecisionPass : public impl::SetPrecisionBase<SetPrecisionPass> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>()) {
      train::RecipeOp recipe = train::recipeOf(program);
      std::optional<train::Precision> chosen = recipe ? recipe.getPrecision() : std::nullopt;
      if (!chosen)
        continue;
      FloatType low = train::lowTypeOf(*chosen, &getContext());
      program.setPrecision(*chosen);
      for (auto function : program.getOps<train::FunctionOp>())
        for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
          if (op.hasTrait<nn::LowPrecision>() && failed(setPrecision(op, low)))
            return signalPassFailure();
    }
  }
};
} // namespace

} // namespace dlc::forward
