//===- HessianProduct.cpp - the function hvp -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse mode twice: the gradients g of the loss by the trained parameters w are values of the function, and
// the gradient by w of the sum of v * g is H v. That takes gradients of gradient rules, which are operations
// like others.
//===----------------------------------------------------------------------===//
#include "compiler/backward/HessianProduct.h"
#include "compiler/backward/Differentiate.h"
#include "compiler/support/Symbols.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/Derivative.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using nn::Expr;
using train::Derivative;

namespace dlc::backward {
namespace {

/// Part of the one array that has all trained parameters.
struct Part {
  RankedTensorType type; ///< the parameter's
  Value value;           ///< as the function reads it
  int64_t begin, count;
};

class HessianProduct {
public:
  explicit HessianProduct(train::FunctionOp forward)
      : forward(forward), program(forward->getParentOfType<train::ProgramOp>()) {}

  LogicalResult build();

private:
  ImplicitLocOpBuilder atEnd() {
    return ImplicitLocOpBuilder(function.getLoc(), OpBuilder::atBlockEnd(&function.getBody().front()));
  }
  void declare();
  void findParts();
  /// The gradient of the sum of `outputs` times `seeds` by each parameter; null where it is 0.
  FailureOr<SmallVector<Value>> differentiate(ArrayRef<Value> outputs, ArrayRef<Value> seeds,
                                              StringRef because);
  FailureOr<SmallVector<Value>> gradients(Value loss);
  Value partOf(Value vector, const Part &part);
  Value joined(ArrayRef<Value> products);

  train::FunctionOp forward, function;
  train::ProgramOp program;
  RankedTensorType all; ///< the type of what has all trained parameters
  train::InputOp vector;
  train::OutputOp product;
  SmallVector<Part> parts;
  Value scale; ///< of the loss, where steps have one
};

/// In the order and the type of `parameters_read_all`.
void HessianProduct::findParts() {
  llvm::MapVector<StringRef, Value> values;
  for (Value value : trainableValues(function))
    values[value.getDefiningOp<train::ReadOp>().getSymbol()] = value;
  Type number = Float32Type::get(program.getContext());
  int64_t count = 0;
  for (auto state : program.getBody().getOps<train::StateOp>()) {
    auto type = cast<RankedTensorType>(state.getType());
    bool isKept =
        state.getKind() == train::StateKind::Parameter || state.getKind() == train::StateKind::Buffer;
    if (isKept && type.getElementType().isF64())
      number = type.getElementType();
    if (!state.isTrainable() || !(type.getElementType().isF32() || type.getElementType().isF64()))
      continue;
    parts.push_back({type, values.lookup(state.getSymName()), count, type.getNumElements()});
    count += type.getNumElements();
  }
  all = RankedTensorType::get({count}, number);
}

void HessianProduct::declare() {
  ImplicitLocOpBuilder declare(program.getLoc(), OpBuilder(function));
  auto ofLoss = train::DerivativeOfAttr::get(program.getContext(), Derivative::Hvp, FlatSymbolRefAttr());
  vector = train::InputOp::create(declare, /*target=*/true, freeSymbol(program, "vector"), IntegerAttr(),
                                  IntegerAttr(), IntegerAttr(), all);
  vector.setDerivativeAttr(ofLoss);
  product =
      train::OutputOp::create(declare, train::OutputRole::Prediction, freeSymbol(program, "product"), all);
  product.setDerivativeAttr(ofLoss);
  function.setDerivative(Derivative::Hvp);
}

FailureOr<SmallVector<Value>> HessianProduct::differentiate(ArrayRef<Value> outputs, ArrayRef<Value> seeds,
                                                            StringRef because) {
  SmallVector<Value> leaves;
  for (const Part &part : parts)
    if (part.value)
      leaves.push_back(part.value);
  train::ReverseMode reverse(outputs, leaves);
  for (const train::ReverseMode::Missing &missing : reverse.getMissing())
    reportMissing(missing, Derivative::Hvp) << because;
  auto builder = OpBuilder::atBlockEnd(&function.getBody().front());
  DenseMap<Value, Value> found;
  if (!reverse.getMissing().empty() ||
      failed(reverse.build(builder, [&](Value leaf, Value gradient) { found[leaf] = gradient; }, seeds)))
    return failure();
  return llvm::map_to_vector(parts, [&](const Part &part) { return found.lookup(part.value); });
}

/// As a training step has them, with the scale of the loss in them.
FailureOr<SmallVector<Value>> HessianProduct::gradients(Value loss) {
  ImplicitLocOpBuilder builder = atEnd();
  if (train::StateOp state = lossScaleOf(program)) {
    auto type = cast<RankedTensorType>(state.getType());
    scale = readSymbol(builder, function, state.getSymName(), type);
    Expr unscaled(builder, loss);
    loss = unscaled * nn::cast(Expr(builder, scale), unscaled.elementType());
  }
  return differentiate(loss, {}, ", but lies between trainable parameters and the loss");
}

Value HessianProduct::partOf(Value vector, const Part &part) {
  ImplicitLocOpBuilder builder = atEnd();
  Value slice = nn::SliceOp::create(builder, vector, /*starts=*/ArrayRef<int64_t>{part.begin},
                                    /*limits=*/ArrayRef<int64_t>{part.begin + part.count},
                                    /*steps=*/ArrayRef<int64_t>{1});
  return nn::reshape(nn::cast(Expr(builder, slice), part.type.getElementType()), part.type);
}

/// The products of all parameters, one after the other.
Value HessianProduct::joined(ArrayRef<Value> products) {
  ImplicitLocOpBuilder builder = atEnd();
  SmallVector<Value> flat;
  for (auto [part, found] : llvm::zip_equal(parts, products)) {
    Value value = found;
    auto type = RankedTensorType::get({part.count}, part.type.getElementType());
    if (!value) {
      Attribute zero = builder.getFloatAttr(type.getElementType(), 0);
      value = nn::ConstantOp::create(builder, SplatElementsAttr::get(type, zero));
    }
    Expr each(builder, value);
    if (scale)
      each = each * nn::cast(1 / Expr(builder, scale), each.elementType());
    flat.push_back(nn::cast(nn::reshape(each, type), all.getElementType()));
  }
  return flat.size() == 1 ? flat.front() : Value(nn::ConcatOp::create(builder, flat, /*axis=*/0));
}

LogicalResult HessianProduct::build() {
  function = addFunction(program, train::FunctionKind::Predict, forward);
  function.setSymName(freeSymbol(program, derivativeName(Derivative::Hvp)));
  mergeReads(function);
  SmallVector<Write> writes = takeWrites(function, /*states=*/false, /*predictions=*/false);
  Loss loss = takeLoss(function);
  findParts();
  declare();
  FailureOr<SmallVector<Value>> once = gradients(loss.value);
  if (failed(once))
    return failure();
  ImplicitLocOpBuilder builder = atEnd();
  Value given = train::ReadOp::create(builder, all, vector.getSymName());
  SmallVector<Value> outputs, seeds;
  for (auto [part, gradient] : llvm::zip_equal(parts, *once))
    if (gradient) {
      outputs.push_back(gradient);
      seeds.push_back(partOf(given, part));
    }
  FailureOr<SmallVector<Value>> twice =
      differentiate(outputs, seeds, ", and a Hessian-vector product is the gradient of the gradient");
  if (failed(twice))
    return failure();
  writes.push_back({joined(*twice), product.getSymNameAttr(), function.getLoc()});
  addWrites(function, writes);
  eraseGradientMarks(function);
  simplify(function);
  return success();
}

} // namespace

LogicalResult buildHessianProduct(train::FunctionOp forward) { return HessianProduct(forward).build(); }

} // namespace dlc::backward
