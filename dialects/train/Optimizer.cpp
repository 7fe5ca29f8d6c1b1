//===- Optimizer.cpp - train: optimizer updates
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names are those of PyTorch's state_dict and optimizer arguments: files and C functions carry them.
//===----------------------------------------------------------------------===//
#include "dialects/train/Train.h"
#include <limits>

using namespace mlir;
using namespace train;

ArrayRef<StringRef> SgdOp::getSlotNames() {
  static const StringRef names[] = {"momentum_buffer"};
  return names;
}
ArrayRef<StringRef> SgdOp::getHyperparameterNames() {
  static const StringRef names[] = {"learning_rate", "momentum", "dampening", "weight_decay"};
  return names;
}

ArrayRef<StringRef> PlainSgdOp::getSlotNames() { return {}; }
ArrayRef<StringRef> PlainSgdOp::getHyperparameterNames() {
  static const StringRef names[] = {"learning_rate", "weight_decay"};
  return names;
}

ArrayRef<StringRef> AdamOp::getSlotNames() {
  static const StringRef names[] = {"exp_avg", "exp_avg_sq"};
  return names;
}
ArrayRef<StringRef> AdamOp::getHyperparameterNames() {
  static const StringRef names[] = {"learning_rate", "beta1", "beta2", "epsilon", "weight_decay"};
  return names;
}

ArrayRef<StringRef> RmspropOp::getSlotNames() {
  static const StringRef names[] = {"square_avg", "momentum_buffer", "grad_avg"};
  return names;
}
ArrayRef<StringRef> RmspropOp::getHyperparameterNames() {
  static const StringRef names[] = {"learning_rate", "alpha", "epsilon", "weight_decay", "momentum"};
  return names;
}

ArrayRef<StringRef> AdagradOp::getSlotNames() {
  static const StringRef names[] = {"sum"};
  return names;
}
ArrayRef<StringRef> AdagradOp::getHyperparameterNames() {
  static const StringRef names[] = {"learning_rate", "lr_decay", "epsilon", "weight_decay"};
  return names;
}

// What torch.optim accepts, with two differences. What is cast to f32 must not become infinite there. And
// alpha is below 1, where torch.optim has no upper end: from 1 on, the average that a root is taken of would
// not move, or become negative.
HyperparameterRange train::rangeOfHyperparameter(StringRef name) {
  constexpr double largest = std::numeric_limits<float>::max();
  if (name == "beta1" || name == "beta2" || name == "alpha")
    return {0, 1};
  if (name == "dampening")
    return {-largest, largest};
  return {0, largest};
}

/// The new parameter and slots have the types of the old ones; all are shaped like the parameter.
template <typename Op>
static LogicalResult inferUpdate(std::optional<Location> location, ValueRange operands,
                                 SmallVectorImpl<Type> &types) {
  ArrayRef<StringRef> slots = Op::getSlotNames(), hyperparameters = Op::getHyperparameterNames();
  auto expect = [&](StringRef what, Type expected, Type found) -> LogicalResult {
    if (expected == found)
      return success();
    return emitOptionalError(location, "'", Op::getOperationName(), "' op expects ", what, " of type ",
                             expected, ", got ", found);
  };

  // The parser asks before the number of operands is checked.
  size_t expected = 2 + slots.size() + hyperparameters.size() + 1;
  if (operands.size() != expected)
    return emitOptionalError(location, "'", Op::getOperationName(), "' op expects ", expected,
                             " operands, got ", operands.size());

  Type w = operands.front().getType();
  MLIRContext *context = w.getContext();
  Type hyperparameter = RankedTensorType::get({}, Float64Type::get(context));
  if (failed(expect("the gradient", w, operands[1].getType())))
    return failure();
  types.push_back(w);
  for (auto [name, slot] : llvm::zip_equal(slots, operands.slice(2, slots.size()))) {
    if (failed(expect(name, w, slot.getType())))
      return failure();
    types.push_back(slot.getType());
  }
  for (auto [name, value] :
       llvm::zip_equal(hyperparameters, operands.slice(2 + slots.size(), hyperparameters.size())))
    if (failed(expect(name, hyperparameter, value.getType())))
      return failure();
  return expect("step", RankedTensorType::get({}, IntegerType::get(context, 64)), operands.back().getType());
}

#define TRAIN_INFER_UPDATE(OP)                                                                               \
  LogicalResult OP::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,            \
                                     SmallVectorImpl<Type> &types) {                                         \
    return inferUpdate<OP>(location, op.getOperands(), types);                                               \
  }
TRAIN_INFER_UPDATE(SgdOp)
TRAIN_INFER_UPDATE(PlainSgdOp)
TRAIN_INFER_UPDATE(AdamOp)
TRAIN_INFER_UPDATE(RmspropOp)
TRAIN_INFER_UPDATE(AdagradOp)
#undef TRAIN_INFER_UPDATE
