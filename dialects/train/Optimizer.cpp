//===- Optimizer.cpp - train: optimizer updates
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names are those of PyTorch's state_dict and optimizer arguments: files and C functions carry them.
//===----------------------------------------------------------------------===//
#include "dialects/train/MoreOptimizers.h"
#include <limits>

using namespace mlir;
using namespace train;

#define TRAIN_NAMES(METHOD, ...)                                                                             \
  ArrayRef<StringRef> METHOD() {                                                                             \
    static const StringRef names[] = {__VA_ARGS__};                                                          \
    return names;                                                                                            \
  }
ArrayRef<StringRef> PlainSgdOp::getSlotNames() { return {}; }
TRAIN_NAMES(PlainSgdOp::getHyperparameterNames, "learning_rate", "weight_decay")
TRAIN_NAMES(SgdOp::getSlotNames, "momentum_buffer")
TRAIN_NAMES(SgdOp::getHyperparameterNames, "learning_rate", "momentum", "dampening", "weight_decay")
TRAIN_NAMES(AdamOp::getSlotNames, "exp_avg", "exp_avg_sq")
TRAIN_NAMES(AdamOp::getHyperparameterNames, "learning_rate", "beta1", "beta2", "epsilon", "weight_decay")
TRAIN_NAMES(AmsgradOp::getSlotNames, "exp_avg", "exp_avg_sq", "max_exp_avg_sq")
TRAIN_NAMES(AmsgradOp::getHyperparameterNames, "learning_rate", "beta1", "beta2", "epsilon", "weight_decay")
TRAIN_NAMES(NadamOp::getSlotNames, "exp_avg", "exp_avg_sq", "mu_product")
TRAIN_NAMES(NadamOp::getHyperparameterNames, "learning_rate", "beta1", "beta2", "epsilon", "weight_decay",
            "momentum_decay")
TRAIN_NAMES(RadamOp::getSlotNames, "exp_avg", "exp_avg_sq")
TRAIN_NAMES(RadamOp::getHyperparameterNames, "learning_rate", "beta1", "beta2", "epsilon", "weight_decay")
TRAIN_NAMES(LambOp::getSlotNames, "exp_avg", "exp_avg_sq")
TRAIN_NAMES(LambOp::getHyperparameterNames, "learning_rate", "beta1", "beta2", "epsilon", "weight_decay")
TRAIN_NAMES(AdamaxOp::getSlotNames, "exp_avg", "exp_inf")
TRAIN_NAMES(AdamaxOp::getHyperparameterNames, "learning_rate", "beta1", "beta2", "epsilon", "weight_decay")
TRAIN_NAMES(AdadeltaOp::getSlotNames, "square_avg", "acc_delta")
TRAIN_NAMES(AdadeltaOp::getHyperparameterNames, "learning_rate", "rho", "epsilon", "weight_decay")
TRAIN_NAMES(RmspropOp::getSlotNames, "square_avg", "momentum_buffer", "grad_avg")
TRAIN_NAMES(RmspropOp::getHyperparameterNames, "learning_rate", "alpha", "epsilon", "weight_decay",
            "momentum")
TRAIN_NAMES(AdagradOp::getSlotNames, "sum")
TRAIN_NAMES(AdagradOp::getHyperparameterNames, "learning_rate", "lr_decay", "epsilon", "weight_decay")
TRAIN_NAMES(LionOp::getSlotNames, "exp_avg")
TRAIN_NAMES(LionOp::getHyperparameterNames, "learning_rate", "beta1", "beta2", "weight_decay")
TRAIN_NAMES(MuonOp::getSlotNames, "momentum_buffer")
TRAIN_NAMES(MuonOp::getHyperparameterNames, "learning_rate", "weight_decay", "momentum")
TRAIN_NAMES(RpropOp::getSlotNames, "prev", "step_size")
TRAIN_NAMES(RpropOp::getHyperparameterNames, "learning_rate", "eta_minus", "eta_plus", "step_size_min",
            "step_size_max")
TRAIN_NAMES(AsgdOp::getSlotNames, "ax", "eta")
TRAIN_NAMES(AsgdOp::getHyperparameterNames, "learning_rate", "lambd", "alpha", "t0", "weight_decay")
TRAIN_NAMES(AdafactorOp::getSlotNames, "row_var", "col_var")
TRAIN_NAMES(AdafactorOp::getHyperparameterNames, "learning_rate", "beta2_decay", "epsilon", "epsilon2",
            "clip_threshold", "weight_decay")
TRAIN_NAMES(AdafactorVectorOp::getSlotNames, "variance")
TRAIN_NAMES(AdafactorVectorOp::getHyperparameterNames, "learning_rate", "beta2_decay", "epsilon", "epsilon2",
            "clip_threshold", "weight_decay")
TRAIN_NAMES(SparseAdamOp::getSlotNames, "exp_avg", "exp_avg_sq")
TRAIN_NAMES(SparseAdamOp::getHyperparameterNames, "learning_rate", "beta1", "beta2", "epsilon")
#undef TRAIN_NAMES

RankedTensorType train::typeOfSlot(StringRef slot, RankedTensorType parameter) {
  if (slot == "mu_product" || slot == "eta")
    return RankedTensorType::get({}, Float64Type::get(parameter.getContext()));
  const int64_t fromEnd = slot == "row_var" ? 1 : slot == "col_var" ? 2 : 0;
  if (fromEnd == 0 || parameter.getRank() < 2)
    return parameter;
  auto shape = llvm::to_vector(parameter.getShape());
  shape[parameter.getRank() - fromEnd] = 1;
  return RankedTensorType::get(shape, parameter.getElementType());
}

// What torch.optim accepts, with few differences. What is cast to f32 must not become infinite there. And
// alpha and rho are below 1, where torch.optim has no upper end or takes 1: from 1 on, the average that a
// root is taken of would not move, or become negative. Limits are not part of a range: beta2_decay is below
// 0, and eta_minus may be 0 and eta_plus 1.
HyperparameterRange train::rangeOfHyperparameter(StringRef name) {
  constexpr double largest = std::numeric_limits<float>::max();
  if (name == "beta1" || name == "beta2" || name == "alpha" || name == "rho" || name == "eta_minus")
    return {0, 1};
  if (name == "ema_decay") // 1 is in the range: an average that stays, in a step that it leaves out
    return {0, 1 + std::numeric_limits<double>::epsilon()};
  if (name == "eta_plus" || name == "clip_threshold")
    return {1, largest};
  if (name == "beta2_decay")
    return {-largest, 0};
  if (name == "dampening")
    return {-largest, largest};
  if (name == "loss_scale") // of which the reciprocal is a float, too
    return {0x1p-100, 0x1p101};
  return {0, largest};
}

/// The new parameter and slots have the types of the old ones; most are shaped like the parameter.
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
    if (failed(expect(name, typeOfSlot(name, cast<RankedTensorType>(w)), slot.getType())))
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
TRAIN_INFER_UPDATE(PlainSgdOp)
TRAIN_INFER_UPDATE(SgdOp)
TRAIN_INFER_UPDATE(AdamOp)
TRAIN_INFER_UPDATE(AmsgradOp)
TRAIN_INFER_UPDATE(NadamOp)
TRAIN_INFER_UPDATE(RadamOp)
TRAIN_INFER_UPDATE(LambOp)
TRAIN_INFER_UPDATE(AdamaxOp)
TRAIN_INFER_UPDATE(AdadeltaOp)
TRAIN_INFER_UPDATE(RmspropOp)
TRAIN_INFER_UPDATE(AdagradOp)
TRAIN_INFER_UPDATE(LionOp)
TRAIN_INFER_UPDATE(RpropOp)
TRAIN_INFER_UPDATE(AsgdOp)
TRAIN_INFER_UPDATE(AdafactorVectorOp)
#undef TRAIN_INFER_UPDATE

LogicalResult MuonOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                       SmallVectorImpl<Type> &types) {
  if (failed(inferUpdate<MuonOp>(location, op.getOperands(), types)))
    return failure();
  if (cast<RankedTensorType>(types.front()).getRank() != 2)
    return emitOptionalError(location, "'train.muon' op expects a matrix, got ", types.front());
  return success();
}

LogicalResult AdafactorOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                            SmallVectorImpl<Type> &types) {
  if (failed(inferUpdate<AdafactorOp>(location, op.getOperands(), types)))
    return failure();
  if (cast<RankedTensorType>(types.front()).getRank() < 2)
    return emitOptionalError(location, "'train.adafactor' op expects at least two axes, got ", types.front());
  return success();
}

LogicalResult SparseAdamOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                             SmallVectorImpl<Type> &types) {
  if (failed(inferUpdate<SparseAdamOp>(location, op.getOperands(), types)))
    return failure();
  if (cast<RankedTensorType>(types.front()).getRank() == 0)
    return emitOptionalError(location, "'train.sparse_adam' op expects a table with rows, got ",
                             types.front());
  return success();
}
