//===- Rows.cpp - how many rows of a batch there is time for ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/verify/Rows.h"
#include "compiler/interpret/Evaluation.h"
#include "dialects/nn/Dims.h"
#include "dialects/nn/NN.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlc::verify {
namespace {

/// The multiplications that the interpreter does in a second of a slow machine.
constexpr double multiplications = 5e8;
/// The fraction of the time that one step may take: there are several of them, and finite differences.
constexpr double share = 0.1;
constexpr double ofStep = 3;  ///< the costs of the model: forward, and a gradient for each of two operands
constexpr int64_t fewest = 2; // of which a batch normalization still makes statistics
/// What an element of any other operation costs: an index, a call, a result.
constexpr double ofElement = 8;

struct Cost {
  interpret::DimSizes dims;

  double size(Value value) const {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return 0;
    auto shape = interpret::concreteShape(type, dims);
    return succeeded(shape) ? static_cast<double>(interpret::product(*shape)) : 0;
  }
  /// The elements of a convolution's kernel that one channel of the result reads.
  double ofChannel(Value kernel) const {
    return size(kernel) / static_cast<double>(cast<RankedTensorType>(kernel.getType()).getDimSize(0));
  }
  double of(Operation *op) const {
    double elements = 0;
    for (Value operand : op->getOperands())
      elements += size(operand);
    for (Value result : op->getResults())
      elements += size(result);
    const double products =
        llvm::TypeSwitch<Operation *, double>(op)
            .Case([&](nn::MatMulOp product) {
              const int64_t axis = product.getTransposeA() ? 2 : 1;
              auto shape = interpret::concreteShape(cast<RankedTensorType>(product.getA().getType()), dims);
              return failed(shape) ? 0 : size(product) * static_cast<double>(shape->rbegin()[axis - 1]);
            })
            .Case([&](nn::ConvOp conv) { return size(conv) * ofChannel(conv->getOperand(1)); })
            .Case([&](nn::ConvTransposeOp conv) {
              return size(conv->getOperand(0)) * ofChannel(conv->getOperand(1));
            })
            .Case([&](nn::ConvWeightGradientOp conv) {
              return size(conv->getOperand(1)) * ofChannel(conv->getResult(0));
            })
            .Default([](Operation *) { return 0.0; });
    return products + ofElement * elements;
  }
};

std::optional<train::DimOp> batchOf(train::ProgramOp program) {
  auto dims = program.getBody().getOps<train::DimOp>();
  if (dims.empty())
    return std::nullopt;
  train::DimOp first = *dims.begin();
  bool isRead = false;
  for (auto input : program.getBody().getOps<train::InputOp>())
    for (auto [axis, dim] : llvm::enumerate(nn::shapeOf(input.getType())))
      if (llvm::is_contained(dim.names, first.getSymName().str())) {
        if (axis != 0 || dim.names.size() != 1 || dim.factor != 1)
          return std::nullopt;
        isRead = true;
      }
  return isRead ? std::optional(first) : std::nullopt;
}

} // namespace

double costOf(train::ProgramOp model, int64_t rows) {
  Cost cost;
  for (auto dim : model.getBody().getOps<train::DimOp>())
    cost.dims[dim.getSymName()] = dim.getBound();
  if (std::optional<train::DimOp> batch = batchOf(model))
    cost.dims[batch->getSymName()] = rows;
  double sum = 0;
  model->walk([&](Operation *op) { sum += cost.of(op); });
  return sum;
}

int64_t rowsOf(train::ProgramOp program) {
  std::optional<train::DimOp> batch = batchOf(program);
  return batch ? batch->getBound() : 0;
}

int64_t rowsFor(train::ProgramOp model, double seconds) {
  int64_t rows = rowsOf(model);
  while (seconds > 0 && rows / 2 >= fewest &&
         ofStep * costOf(model, rows) > seconds * share * multiplications)
    rows /= 2;
  return rows;
}

void setRows(train::ProgramOp program, int64_t rows) { batchOf(program)->setBound(rows); }

} // namespace dlc::verify
