//===- Precision.cpp - programs with products of low precision -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/Precision.h"

using namespace mlir;

namespace train {

FloatType lowTypeOf(Precision precision, MLIRContext *context) {
  switch (precision) {
  case Precision::TF32:
    return FloatTF32Type::get(context);
  case Precision::BF16:
    return BFloat16Type::get(context);
  case Precision::FP16:
    return Float16Type::get(context);
  }
  llvm_unreachable("a precision");
}

FloatType lowTypeOf(ProgramOp program) {
  std::optional<Precision> precision = program.getPrecision();
  return precision ? lowTypeOf(*precision, program.getContext()) : FloatType();
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
