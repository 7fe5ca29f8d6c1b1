//===- Narrow.cpp - conversions to bf16 by GPUs' own instructions -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU rounds two numbers to the halves of a word in one instruction (F2FP in machine code); for one number,
// NVIDIA's assembler takes the general conversion (F2F), and a shift. So a number that stays in a register is
// rounded as the upper half of a word, which is an f32 then, one that is stored as the lower half, and where
// a word is made of two, it is made at once.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Lowering.h"
#include "compiler/codegen/gpu/device/Device.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

/// The f32 that is rounded to a bf16, which is this value or has it as bits; or null.
Value roundedIn(Value narrow) {
  if (auto bits = narrow.getDefiningOp<arith::BitcastOp>())
    narrow = bits.getIn();
  auto op = narrow.getDefiningOp<arith::TruncFOp>();
  return op && op.getType().isBF16() && op.getIn().getType().isF32() ? op.getIn() : Value();
}

Value zero(Builder &b) { return arith::ConstantOp::create(b, b.getF32FloatAttr(0)); }

struct RoundInRegister : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const final {
    Value number = roundedIn(op.getIn());
    if (!number || !op.getType().isF32())
      return failure();
    Builder b(op.getLoc(), rewriter);
    Value none = zero(b);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), roundedWord(b, number, none));
    return success();
  }
};

struct RoundTwo : OpRewritePattern<arith::OrIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::OrIOp op, PatternRewriter &rewriter) const final {
    auto lower = op.getLhs().getDefiningOp<arith::ExtUIOp>();
    auto shifted = op.getRhs().getDefiningOp<arith::ShLIOp>();
    auto upper = shifted ? shifted.getLhs().getDefiningOp<arith::ExtUIOp>() : nullptr;
    llvm::APInt by;
    if (!lower || !upper || !matchPattern(shifted.getRhs(), m_ConstantInt(&by)) || by != 16)
      return failure();
    Value low = roundedIn(lower.getIn()), high = roundedIn(upper.getIn());
    if (!low || !high)
      return failure();
    Builder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, roundedWord(b, high, low));
    return success();
  }
};

/// What is left when the others have found theirs.
struct RoundOne : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const final {
    Value number = roundedIn(op);
    if (!number)
      return failure();
    Builder b(op.getLoc(), rewriter);
    Value none = zero(b), word = roundedWord(b, none, number);
    Value half = arith::TruncIOp::create(b, b.getI16Type(), word);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), half);
    return success();
  }
};

struct NarrowByMachine : PassWrapper<NarrowByMachine, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NarrowByMachine)
  StringRef getArgument() const final { return "dlc-narrow-by-machine"; }
  StringRef getDescription() const final { return "numbers are rounded to bf16 two at a time"; }
  void runOnOperation() final {
    RewritePatternSet pairs(&getContext()), rest(&getContext());
    pairs.add<RoundInRegister, RoundTwo>(&getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(pairs));
    rest.add<RoundOne>(&getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(rest));
  }
};

} // namespace

std::unique_ptr<Pass> createNarrowByMachinePass() { return std::make_unique<NarrowByMachine>(); }

} // namespace dlc::codegen::gpu
