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

mlir::FailureOr<Tensor> allocate(mlir::Operation *op, mlir::Type type, const DimSizes &dims) {
  auto tensorType = mlir::dyn_cast<mlir::RankedTensorType>(type);
  std::optional<DType> dtype = tensorType ? dtypeOf(tensorType.getElementType()) : std::nullopt;
  if (!dtype)
    return op->emitOpError("expected tensors of numbers, found ") << type;
  auto shape = concreteShape(tensorType, dims);
  if (failed(shape))
    return op->emitOpError("has a dim of unknown size: ") << type;
  if (product(*shape) > largestTensor)
    return op->emitOpError("makes a tensor that is too large for the interpreter: ") << type;
  return Tensor::zeros(*dtype, *shape);
}

mlir::FailureOr<llvm::SmallVector<Tensor>> evaluateOperation(mlir::Operation *op,
                                                             llvm::ArrayRef<const Tensor *> operands,
                                                             const DimSizes &dims, bool roundResults,
                                                             bool roundSums) {
  llvm::SmallVector<Tensor> results;
  for (mlir::Value result : op->getResults()) {
    mlir::FailureOr<Tensor> tensor = allocate(op, result.getType(), dims);
    if (mlir::failed(tensor))
      return mlir::failure();
    results.push_back(std::move(*tensor));
  }
  Evaluation e(op, operands, results, roundResults, roundSums);
  bool known = false;
#define FAMILY(Name) known = known || evaluate##Name(e);
#include "compiler/interpret/Families.inc"
  if (!known)
    return op->emitOpError("is not an operation that the interpreter knows");
  if (e.failed())
    return mlir::failure();
  for (Tensor &tensor : results)
    if (roundResults || !tensor.isFloat() || tensor.isNarrow())
      tensor.roundToDType();
  return results;
}

double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::max(a, b);
}
double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::min(a, b);
}

} // namespace dlc::interpret
