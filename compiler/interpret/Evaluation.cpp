//===- Evaluation.cpp - what all families share ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all families share: operands by value, errors, sizes of named dims.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"

#include "dialects/nn/Dims.h"
#include "mlir/IR/Diagnostics.h"
#include <cmath>
#include <limits>

namespace dlc::interpret {

mlir::FailureOr<llvm::SmallVector<int64_t, 4>> concreteShape(mlir::RankedTensorType type,
                                                             const DimSizes &dims) {
  llvm::SmallVector<int64_t, 4> shape;
  for (const nn::Dim &dim : nn::shapeOf(type)) {
    int64_t size = dim.factor;
    for (const std::string &name : dim.names) {
      auto known = dims.find(name);
      if (known == dims.end())
        return mlir::failure();
      size *= known->second;
    }
    shape.push_back(size);
  }
  return shape;
}

const Tensor &Evaluation::of(mlir::Value operand) const {
  for (mlir::OpOperand &use : op->getOpOperands())
    if (use.get() == operand)
      return *operands[use.getOperandNumber()];
  llvm_unreachable("not an operand of the operation");
}

void Evaluation::fail(const llvm::Twine &message) {
  op->emitOpError(message);
  hasFailed = true;
}

double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::max(a, b);
}
double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::min(a, b);
}

} // namespace dlc::interpret
