//===- Precision.cpp - programs with products of low precision -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/Precision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace train {

FloatType lowTypeNamed(StringRef precision, MLIRContext *context) {
  return llvm::StringSwitch<FloatType>(precision)
      .Case("tf32", FloatTF32Type::get(context))
      .Case("bf16", BFloat16Type::get(context))
      .Case("fp16", Float16Type::get(context))
      .Default(FloatType());
}

FloatType lowTypeOf(ProgramOp program) {
  auto precision = program->getAttrOfType<StringAttr>(precisionName);
  return precision ? lowTypeNamed(precision, program.getContext()) : FloatType();
}

FloatType lowTypeOf(linalg::GenericOp contraction) {
  if (!getElementTypeOrSelf(contraction.getResult(0).getType()).isF32())
    return {};
  // What the factors were before they were extended: yield(sum + a * b).
  Operation *sum = contraction.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  FloatType low;
  for (Value factor : sum->getOperand(1).getDefiningOp()->getOperands()) {
    auto extension = factor.getDefiningOp<arith::ExtFOp>();
    auto type = extension ? cast<FloatType>(extension.getIn().getType()) : FloatType();
    if (!type || !(type.isBF16() || type.isF16() || type.isTF32()) || (low && low != type))
      return {};
    low = type;
  }
  return low;
}

LogicalResult verifyPrecision(FunctionOp function) {
  FloatType low = lowTypeOf(function->getParentOfType<ProgramOp>());
  if (!low)
    return success();
  auto elementOf = [](TypeRange types) { return getElementTypeOrSelf(types[0]); };
  for (Operation &op : function.getBody().front()) {
    if (!op.hasTrait<nn::LowPrecision>() || isa<IntegerType>(elementOf(op.getOperandTypes())))
      continue;
    Type operands = elementOf(op.getOperandTypes()), sums = elementOf(op.getResultTypes());
    if (operands != low || !sums.isF32())
      return op.emitOpError("has operands of type ")
             << operands << " and gives " << sums << " in a program of precision " << low
             << ": expected operands of this type and sums in f32";
  }
  return success();
}

} // namespace train
