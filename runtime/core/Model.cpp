//===- Model.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a model's description once, at create, so that nothing after it has to.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/core/Instance.h"
#include "runtime/core/Target.h"

#include <cstring>

namespace dlc::runtime {

// The compiler emits these structs as plain constants: a change of their size is a change of the ABI.
static_assert(sizeof(dlc_symbol) == 64 && sizeof(dlc_input) == 72 && sizeof(dlc_output) == 40 &&
                  sizeof(dlc_dim) == 24 && sizeof(dlc_axis) == 24 && sizeof(dlc_model) == 104,
              "raise DLC_ABI_VERSION and tell the compiler");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files and constants are little-endian");

namespace {

/// The shapes that the runtime itself relies on.
bool hasKindsShape(const dlc_symbol &symbol) {
  switch (symbol.kind) {
  case DLC_HYPERPARAMETER:
    return symbol.dtype == DLC_F64 && symbol.rank == 0 && symbol.low < symbol.limit;
  case DLC_RNG:
    return symbol.dtype == DLC_I64 && symbol.rank == 1 && symbol.shape[0] == 2;
  case DLC_STEP_COUNT:
    return symbol.dtype == DLC_I64 && symbol.rank == 0;
  default:
    return symbol.kind <= DLC_CONSTANT;
  }
}

bool isSymbolSound(const dlc_symbol &symbol) {
  int64_t count = 0, bytes = 0;
  return symbol.name && symbol.rank <= maxRank && dtypeBytes(symbol.dtype) && hasKindsShape(symbol) &&
         elementCount(symbol.rank, symbol.shape, count) &&
         !__builtin_mul_overflow(count, static_cast<int64_t>(dtypeBytes(symbol.dtype)), &bytes);
}

/// Whether an average has a parameter of its shape and dtype.
bool isAverageSound(const dlc_model &model, const dlc_symbol &symbol) {
  if (!symbol.average_of)
    return true;
  if (symbol.kind != DLC_OPTIMIZER_STATE || symbol.average_of > model.symbol_count)
    return false;
  const dlc_symbol &parameter = model.symbols[symbol.average_of - 1];
  return parameter.kind == DLC_PARAMETER && parameter.dtype == symbol.dtype &&
         parameter.rank == symbol.rank &&
         memcmp(parameter.shape, symbol.shape, symbol.rank * sizeof *symbol.shape) == 0;
}

/// Whether the axis has the size `bound` where every named dim has its own bound.
bool isAxisSound(const dlc_model &model, const dlc_axis &axis, int64_t bound) {
  int64_t size = axis.factor;
  if (size < 0 || (axis.dim_count && !axis.dims))
    return false;
  for (uint32_t i = 0; i < axis.dim_count; ++i)
    if (axis.dims[i] >= model.dim_count ||
        __builtin_mul_overflow(size, model.dims[axis.dims[i]].bound, &size))
      return false;
  return size == bound;
}

bool areAxesSound(const dlc_model &model, uint32_t rank, const int64_t *shape, const dlc_axis *axes) {
  int64_t count = 0;
  if (rank > maxRank || !elementCount(rank, shape, count))
    return false;
  for (uint32_t i = 0; axes && i < rank; ++i)
    if (!isAxisSound(model, axes[i], shape[i]))
      return false;
  return true;
}

/// Whether a derivative has the dtype and the shape of what it is the derivative of, at all sizes.
template <typename Derivative, typename Tensor> bool isLike(const Derivative &one, const Tensor &other) {
  bool alike = one.dtype == other.dtype && one.rank == other.rank && !one.axes == !other.axes;
  for (uint32_t i = 0; alike && i < one.rank; ++i) {
    alike = one.shape[i] == other.shape[i];
    if (!alike || !one.axes)
      continue;
    alike = one.axes[i].factor == other.axes[i].factor && one.axes[i].dim_count == other.axes[i].dim_count;
    for (uint32_t d = 0; alike && d < one.axes[i].dim_count; ++d)
      alike = one.axes[i].dims[d] == other.axes[i].dims[d];
  }
  return alike;
}

bool isOfPrediction(const dlc_model &model, uint32_t number) {
  return number < model.output_count && model.outputs[number].role == DLC_OUTPUT_PREDICTION;
}

bool isOfInput(const dlc_model &model, uint32_t number) {
  return number < model.input_count && !model.inputs[number].is_target && !model.inputs[number].taken_by;
}

/// Whether it is an array of numbers for all trainable parameters.
template <typename Tensor> bool isOfParameters(const dlc_model &model, const Tensor &tensor) {
  int64_t all = 0;
  for (uint32_t i = 0; i < model.symbol_count; ++i) {
    const dlc_symbol &symbol = model.symbols[i];
    int64_t count = 0;
    if (!symbol.trainable || (symbol.dtype != DLC_F32 && symbol.dtype != DLC_F64))
      continue;
    if (!elementCount(symbol.rank, symbol.shape, count) || __builtin_add_overflow(all, count, &all))
      return false;
  }
  return (tensor.dtype == DLC_F32 || tensor.dtype == DLC_F64) && tensor.rank == 1 && tensor.shape[0] == all &&
         !(tensor.axes && tensor.axes[0].dim_count);
}

/// After the tensors themselves have been looked at.
bool areDerivativesSound(const dlc_model &model) {
  for (uint32_t i = 0; i < model.input_count; ++i) {
    const dlc_input &input = model.inputs[i];
    const bool isSound =
        input.taken_by == DLC_VJP ? isOfPrediction(model, input.of) && isLike(input, model.outputs[input.of])
        : input.taken_by == DLC_JVP ? isOfInput(model, input.of) && isLike(input, model.inputs[input.of])
        : input.taken_by == DLC_HVP ? isOfParameters(model, input)
                                    : !input.taken_by;
    if (!isSound || (input.taken_by && (!input.is_target || input.is_index)))
      return false;
  }
  for (uint32_t i = 0; i < model.output_count; ++i) {
    const dlc_output &output = model.outputs[i];
    if (output.role == DLC_OUTPUT_PRODUCT && !isOfParameters(model, output))
      return false;
    if (output.role == DLC_OUTPUT_GRADIENT
            ? !isOfInput(model, output.of) || !isLike(output, model.inputs[output.of])
            : output.role == DLC_OUTPUT_TANGENT &&
                  (!isOfPrediction(model, output.of) || !isLike(output, model.outputs[output.of])))
      return false;
  }
  return true;
}

bool isInputSound(const dlc_model &model, const dlc_input &input) {
  if (!input.name || !dtypeBytes(input.dtype) || !areAxesSound(model, input.rank, input.shape, input.axes))
    return false;
  return !input.is_index || input.dtype == DLC_I32 || input.dtype == DLC_I64 || input.dtype == DLC_U8;
}

bool isOutputSound(const dlc_model &model, const dlc_output &output) {
  if (!output.name || !areAxesSound(model, output.rank, output.shape, output.axes))
    return false;
  switch (output.role) {
  case DLC_OUTPUT_LOSS:
    return output.dtype == DLC_F32 && output.rank == 0;
  case DLC_OUTPUT_LOSS_SUM:
  case DLC_OUTPUT_LOSS_WEIGHT:
  case DLC_OUTPUT_GRAD_NORM:
  case DLC_OUTPUT_STEP_LOSS_SUM:
  case DLC_OUTPUT_STEP_LOSS_WEIGHT:
    return output.dtype == DLC_F64 && output.rank == 0;
  case DLC_OUTPUT_CORRECT:
  case DLC_OUTPUT_STEP_CORRECT:
    return output.dtype == DLC_I64 && output.rank == 0;
  case DLC_OUTPUT_INDEX_RANGE:
    return output.dtype == DLC_I64 && output.rank == 1 && output.shape[0] == 4 &&
           !(output.axes && output.axes[0].dim_count);
  case DLC_OUTPUT_PREDICTION:
  case DLC_OUTPUT_GRADIENT:
  case DLC_OUTPUT_TANGENT:
  case DLC_OUTPUT_PRODUCT:
    return dtypeBytes(output.dtype);
  default:
    return false;
  }
}

} // namespace

dlc_status checkModel(const dlc_model &model, Error &error) {
  if (!model.name)
    return error.fail(DLC_ABI_MISMATCH, "the library describes a model without a name");
  for (uint32_t i = 0; i < model.symbol_count; ++i)
    if (!isSymbolSound(model.symbols[i]) || !isAverageSound(model, model.symbols[i]))
      return error.fail(DLC_ABI_MISMATCH, "%s: the library's description of tensor %u is not sound",
                        model.name, i);
  for (uint32_t i = 0; i < model.dim_count; ++i)
    if (const dlc_dim &dim = model.dims[i]; !dim.name || dim.bound < 1 || dim.least < 0 || dim.least > dim.bound)
      return error.fail(DLC_ABI_MISMATCH, "%s: the library's description of dim %u is not sound", model.name,
                        i);
  for (uint32_t i = 0; i < model.input_count; ++i)
    if (!isInputSound(model, model.inputs[i]))
      return error.fail(DLC_ABI_MISMATCH, "%s: the library's description of input %u is not sound",
                        model.name, i);
  for (uint32_t i = 0; i < model.output_count; ++i)
    if (!isOutputSound(model, model.outputs[i]))
      return error.fail(DLC_ABI_MISMATCH, "%s: the library's description of output %u is not sound",
                        model.name, i);
  if (!areDerivativesSound(model))
    return error.fail(DLC_ABI_MISMATCH, "%s: the library's description of derivatives is not sound",
                      model.name);
  for (uint32_t i = 0; i < model.target_count; ++i)
    if (!isTargetSound(model, model.targets[i]))
      return error.fail(DLC_ABI_MISMATCH, "%s: the library's description of target %u is not sound",
                        model.name, i);
  return DLC_OK;
}

const dlc_symbol *findSymbol(const dlc_model &model, const char *name, uint32_t kinds) {
  for (uint32_t i = 0; i < model.symbol_count; ++i)
    if (kinds >> model.symbols[i].kind & 1 && strcmp(model.symbols[i].name, name) == 0)
      return &model.symbols[i];
  return nullptr;
}

void initializeSymbol(dlc_instance &instance, const dlc_symbol &symbol) {
  instance.store(symbol, nullptr); // also what the physical form may have beyond the values
  if (symbol.initial)
    instance.store(symbol, symbol.initial);
}

} // namespace dlc::runtime
