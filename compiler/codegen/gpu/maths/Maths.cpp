//===- Maths.cpp - functions of double precision as arithmetic -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/maths/Maths.h"
#include "compiler/codegen/gpu/maths/Doubles.h"
#include "dialects/nn/Order.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

/// Null where the machine has the function, or others know it.
Value expand(Operation *op, Doubles &d, ArrayRef<Value> x) {
  const bool isSingle = !op->getResult(0).getType().isF64();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<math::ExpOp>([&](auto) { return d.exp(x[0]); })
      .Case<math::ExpM1Op>([&](auto) { return d.expm1(x[0]); })
      .Case<math::LogOp>([&](auto) { return d.log(x[0]); })
      .Case<math::Log1pOp>([&](auto) { return d.log1p(x[0]); })
      .Case<math::PowFOp>([&](auto) { return d.pow(x[0], x[1]); })
      .Case<math::TanhOp>([&](auto) { return d.tanh(x[0]); })
      .Case<math::SinOp>([&](auto) { return d.sin(x[0], isSingle); })
      .Case<math::CosOp>([&](auto) { return d.cos(x[0], isSingle); })
      .Case<math::AtanOp>([&](auto) { return d.atan(x[0]); })
      .Case<math::ErfOp>([&](auto) { return d.erf(x[0]); })
      .Case<math::ErfcOp>([&](auto) { return d.erfc(x[0]); })
      .Default([](auto) { return Value(); });
}

struct ExpandDoubleMaths : PassWrapper<ExpandDoubleMaths, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandDoubleMaths)
  StringRef getArgument() const final { return "dlc-expand-double-maths"; }
  StringRef getDescription() const final { return "functions of f64 become arithmetic of scalars"; }
  void getDependentDialects(DialectRegistry &registry) const final { registry.insert<scf::SCFDialect>(); }

  void runOnOperation() final {
    SmallVector<Operation *> functions;
    getOperation()->walk([&](Operation *op) {
      if (!isa<math::MathDialect>(op->getDialect()))
        return;
      Type type = op->getResult(0).getType();
      // The other functions of f32 are polynomials (codegen/kernel/Maths.h).
      bool isLarger = isa<math::PowFOp, math::SinOp, math::CosOp, math::AtanOp>(op);
      if (type.isF64() || (type.isF32() && isLarger))
        functions.push_back(op);
    });
    for (Operation *op : functions) {
      OpBuilder builder(op);
      Doubles d(op->getLoc(), builder);
      Value result = nn::inOrder(builder, [&]() -> SmallVector<Value> { return {formula(op, d)}; }).front();
      if (!result)
        continue;
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }

  static Value formula(Operation *op, Doubles &d) {
    Type type = op->getResult(0).getType();
    SmallVector<Value> x(op->getOperands());
    if (type.isF32())
      for (Value &operand : x)
        operand = arith::ExtFOp::create(d.b, d.b.getF64Type(), operand);
    Value result = expand(op, d, x);
    return result && type.isF32() ? arith::TruncFOp::create(d.b, type, result).getResult() : result;
  }
};

struct CheckMaths : PassWrapper<CheckMaths, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckMaths)
  StringRef getArgument() const final { return "dlc-check-maths"; }
  StringRef getDescription() const final { return "only functions that a GPU has are left"; }
  void runOnOperation() final {
    WalkResult result = getOperation()->walk([](Operation *op) -> WalkResult {
      if (!isa<math::MathDialect>(op->getDialect()) ||
          isa<math::FmaOp, math::SqrtOp, math::RsqrtOp, math::AbsFOp, math::AbsIOp, math::FloorOp,
              math::CeilOp, math::RoundEvenOp, math::TruncOp, math::CopySignOp>(op))
        return WalkResult::advance();
      return op->emitError("'") << op->getName().stripDialect() << "' of " << op->getResult(0).getType()
                                << " has no code for GPUs yet, in kernel '"
                                << *op->getParentOfType<ModuleOp>().getSymName() << "'; compile for the CPU";
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createExpandDoubleMathsPass() { return std::make_unique<ExpandDoubleMaths>(); }
std::unique_ptr<Pass> createCheckMathsPass() { return std::make_unique<CheckMaths>(); }

} // namespace dlc::codegen::gpu
