//===- Narrow.cpp - conversions to 16 bits by GPUs' own instructions --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU rounds two numbers to the halves of a word in one instruction (F2FP in machine code); for a single
// number, NVIDIA's assembler takes the general conversion (F2F) and a shift, which is slower. So F2FP rounds
// all:
// - a bf16 that stays in a register becomes the upper half of a word, which is then an f32;
// - a bf16 that is stored becomes the lower half of a word;
// - two numbers (bf16 or f16) that make up a word are rounded by one instruction.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Lowering.h"
#include "compiler/codegen/gpu/device/Device.h"
#include "compiler/support/Elements.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

/// The rounding of an f32 to 16 bits, whose result is this value or has it as bits; or null.
arith::TruncFOp roundingOf(Value narrow) {
  if (auto bits = narrow.getDefiningOp<arith::BitcastOp>())
    narrow = bits.getIn();
  auto op = narrow.getDefiningOp<arith::TruncFOp>();
  return op && isHalfWord(op.getType()) && op.getIn().getType().isF32() ? op : arith::TruncFOp();
}

Value zero(Builder &b) { return arith::ConstantOp::create(b, b.getF32FloatAttr(0)); }

struct RoundInRegister : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const final {
    arith::TruncFOp rounding = roundingOf(op.getIn());
    if (!rounding || !rounding.getType().isBF16() || !op.getType().isF32())
      return failure();
    Builder b(op.getLoc(), rewriter);
    Value none = zero(b), word = roundedWord(b, rounding.getType(), rounding.getIn(), none);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), word);
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
    arith::TruncFOp low = roundingOf(lower.getIn()), high = roundingOf(upper.getIn());
    if (!low || !high || low.getType() != high.getType())
      return failure();
    Builder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, roundedWord(b, low.getType(), high.getIn(), low.getIn()));
    return success();
  }
};

/// What is left of bf16 when the others have found theirs; of f16 the general conversion has no shift.
struct RoundOne : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const final {
    if (!roundingOf(op) || !op.getType().isBF16())
      return failure();
    Builder b(op.getLoc(), rewriter);
    Value none = zero(b), word = roundedWord(b, op.getType(), none, op.getIn());
    Value half = arith::TruncIOp::create(b, b.getI16Type(), word);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), half);
    return success();
  }
};

struct NarrowByMachine : PassWrapper<NarrowByMachine, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NarrowByMachine)
  StringRef getArgument() const final { return "dlc-narrow-by-machine"; }
  StringRef getDescription() const final { return "numbers are rounded to 16 bits two at a time"; }
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
