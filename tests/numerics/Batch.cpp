//===- Batch.cpp - many cases in one program ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/numerics/Batch.h"

#include "dialects/nn/Expr.h"
#include <cmath>

namespace dlc::numerics {
namespace {

/// Gives the values and symbols of a body a prefix.
std::string renamed(llvm::StringRef text, const std::string &prefix) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '%' || text.substr(i).starts_with("@x"))
      result += prefix;
  }
  return result;
}

std::string prefix(size_t number) { return "c" + std::to_string(number) + "_"; }

/// Whether the loss may contain a result: what a mean loss divides by is a constant of the batch.
bool carriesGradient(mlir::OpResult result) {
  return mlir::cast<mlir::RankedTensorType>(result.getType()).getElementType().isF32() &&
         (result.getResultNumber() == 0 || mlir::isa<nn::LayerNormOp>(result.getOwner()));
}

/// sum(x * v), with numbers v that have no pattern, or are given.
nn::Expr weigh(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, const Tensor *weights) {
  auto type = mlir::cast<mlir::RankedTensorType>(x.getType());
  std::vector<float> numbers(type.getNumElements());
  for (auto [i, number] : llvm::enumerate(numbers))
    number = weights ? static_cast<float>(weights->number(static_cast<int64_t>(i)))
                     : std::sin(1 + 2.7f * static_cast<float>(i));
  auto values = mlir::DenseElementsAttr::get(type, llvm::ArrayRef<float>(numbers));
  return nn::sumAll(nn::Expr(builder, x) * nn::Expr(builder, nn::ConstantOp::create(builder, values)));
}

} // namespace

Batch::Batch(std::vector<OpCase> chosen, Trained trained) : cases(std::move(chosen)), trained(trained) {
  for (auto [k, test] : llvm::enumerate(cases))
    for (auto [i, input] : llvm::enumerate(test.inputs)) {
      std::string name = prefix(k) + "x" + std::to_string(i);
      if (!isParameter(test, i)) {
        inputs.push_back(input);
        inputNames.push_back(name);
        continue;
      }
      parameters.push_back(input);
      parameterNames.push_back(name);
      origins.push_back(test.name + ", input " + std::to_string(i));
    }
}

std::string Batch::text() const {
  std::string lines = "train.program @ops {\n  train.dim @batch = 16\n";
  for (auto [k, test] : llvm::enumerate(cases))
    for (auto [i, type] : llvm::enumerate(test.types))
      lines += (isParameter(test, i) ? "  train.state parameter @" : "  train.input @") + prefix(k) + "x" +
               std::to_string(i) + " : " + type + "\n";
  lines += "  train.function forward @forward {\n";
  for (auto [k, test] : llvm::enumerate(cases))
    lines += renamed(test.body("    "), prefix(k));
  return lines + "  }\n}\n";
}

std::vector<mlir::Operation *> Batch::operations(const Program &program) const {
  std::vector<mlir::Operation *> tested;
  for (mlir::Operation &op : program.body("forward"))
    if (!mlir::isa<train::ReadOp>(op))
      tested.push_back(&op);
  EXPECT_EQ(tested.size(), cases.size());
  return tested;
}

void Batch::writeResults(const Program &program) {
  mlir::Block &block = program.body("forward");
  mlir::OpBuilder declare(block.getParentOp());
  for (auto [k, op] : llvm::enumerate(operations(program)))
    for (mlir::OpResult result : op->getResults()) {
      std::string name = prefix(k) + "y" + std::to_string(result.getResultNumber());
      auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
      train::OutputOp::create(declare, op->getLoc(), train::OutputRole::Prediction, name, type);
      auto builder = mlir::OpBuilder::atBlockEnd(&block);
      train::WriteOp::create(builder, op->getLoc(), result, name);
      outputs.push_back(Tensor::zeros(*interpret::dtypeOf(type.getElementType()),
                                      cases[k].outputs[result.getResultNumber()].shape));
    }
}

void Batch::addLoss(const Program &program) const {
  mlir::Block &block = program.body("forward");
  std::vector<mlir::Operation *> tested = operations(program);
  auto builder = mlir::ImplicitLocOpBuilder::atBlockEnd(block.getParentOp()->getLoc(), &block);
  auto scalar = mlir::RankedTensorType::get({}, builder.getF32Type());
  auto one = mlir::SplatElementsAttr::get(scalar, builder.getF32FloatAttr(1));
  mlir::Value count = nn::ConstantOp::create(builder, one);
  nn::Expr loss(builder, count);
  for (auto [test, op] : llvm::zip_equal(cases, tested))
    for (mlir::OpResult result : op->getResults())
      if (carriesGradient(result))
        loss = loss + weigh(builder, result,
                            trained == Trained::AtKinks ? &test.kink->dy[result.getResultNumber()] : nullptr);
  train::LossOp::create(builder, loss.get(), count);
  mlir::OpBuilder declare(block.getParentOp());
  train::OutputOp::create(declare, builder.getLoc(), train::OutputRole::Loss, "loss", scalar);
}

} // namespace dlc::numerics
