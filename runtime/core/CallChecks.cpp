//===- CallChecks.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, inputs and outputs of a call, compared with what the model's description says of them.
//===----------------------------------------------------------------------===//
#include "runtime/core/CallChecks.h"

#include "runtime/core/DType.h"

#include <cinttypes>
#include <cstdio>

namespace dlc::runtime {

/// Whether it is one that differs from predict in what it computes only.
static bool predicts(dlc_function_kind function) {
  return function == DLC_PREDICT || function == DLC_VJP || function == DLC_JVP;
}

bool takes(dlc_function_kind function, const dlc_input &input) {
  return input.taken_by ? input.taken_by == static_cast<uint32_t>(function) // hvp takes targets, too
                        : !(input.is_target && predicts(function));
}

bool gives(dlc_function_kind function, const dlc_output &output) {
  return function == DLC_VJP   ? output.role == DLC_OUTPUT_GRADIENT
         : function == DLC_JVP ? output.role == DLC_OUTPUT_TANGENT
         : function == DLC_HVP ? output.role == DLC_OUTPUT_PRODUCT
                               : function == DLC_PREDICT && output.role == DLC_OUTPUT_PREDICTION;
}

dlc_status setSizes(dlc_instance &instance, int64_t rows, const int64_t *sizes) {
  const dlc_model &model = *instance.model;
  const int64_t most = model.batch > 0 ? model.batch : 1;
  const int64_t least = model.batch > 0 && model.dim_count == 0 ? most : 1; // a batch of one size only
  if (rows < least || rows > most)
    return instance.error.fail(DLC_INVALID_ARGUMENT, "%s: %" PRId64 " rows, expected %" PRId64 " to %" PRId64,
                               model.name, rows, least, most);
  for (uint32_t i = 1; sizes && i < model.dim_count; ++i)
    if (sizes[i - 1] < 1 || sizes[i - 1] > model.dims[i].bound)
      return instance.error.fail(DLC_INVALID_ARGUMENT, "%s: size %" PRId64 " of '%s', expected 1 to %" PRId64,
                                 model.name, sizes[i - 1], model.dims[i].name, model.dims[i].bound);
  for (uint32_t i = 0; i < model.dim_count; ++i)
    instance.dims[i] = i == 0 ? rows : sizes ? sizes[i - 1] : model.dims[i].bound;
  return DLC_OK;
}

/// Bytes of an input or output at the actual sizes. They are no more than at the bounds, which checkModel has
/// counted.
template <typename Tensor> static int64_t countOf(const dlc_instance &instance, const Tensor &tensor) {
  int64_t count = 1;
  for (uint32_t i = 0; i < tensor.rank; ++i) {
    if (!tensor.axes) {
      count *= tensor.shape[i];
      continue;
    }
    const dlc_axis &axis = tensor.axes[i];
    count *= axis.factor;
    for (uint32_t d = 0; d < axis.dim_count; ++d)
      count *= instance.dims[axis.dims[d]];
  }
  return count;
}

int64_t elementsOf(const dlc_instance &instance, const dlc_input &input) { return countOf(instance, input); }

int64_t elementsOf(const dlc_instance &instance, const dlc_output &output) {
  return countOf(instance, output);
}

/// Indices of the dtype that they have: int32, bytes or int64.
template <typename Use> static auto useIndices(uint32_t dtype, const void *values, Use use) {
  return dtype == DLC_I32  ? use(static_cast<const int32_t *>(values))
         : dtype == DLC_U8 ? use(static_cast<const uint8_t *>(values))
                           : use(static_cast<const int64_t *>(values));
}

template <typename T> static int64_t countLabels(int64_t all, const T *labels, int64_t ignored) {
  int64_t count = 0;
  for (int64_t i = 0; i < all; ++i)
    count += labels[i] != ignored;
  return count;
}

int64_t countOf(const dlc_instance &instance, int64_t rows, const void *const *inputs) {
  for (uint32_t i = 0; i < instance.model->input_count; ++i)
    if (const dlc_input &input = instance.model->inputs[i]; input.is_target && input.is_index) {
      const int64_t all = elementsOf(instance, input), ignored = input.ignore_index;
      return useIndices(input.dtype, inputs[i],
                        [&](const auto *labels) { return countLabels(all, labels, ignored); });
    }
  return rows;
}

template <typename T>
static dlc_status checkIndices(dlc_instance &instance, const dlc_input &input, const T *values) {
  const int64_t count = elementsOf(instance, input);
  auto valid = [&](int64_t value) {
    return (value >= input.index_low && value < input.index_limit) ||
           (value == input.ignore_index && input.ignore_index != INT64_MIN);
  };
  int64_t first = 0;
  while (first < count && valid(values[first]))
    ++first;
  if (first == count)
    return DLC_OK;
  char ignored[64] = "";
  if (input.ignore_index != INT64_MIN)
    snprintf(ignored, sizeof ignored, " (or %" PRId64 " to ignore the row)", input.ignore_index);
  return instance.error.fail(DLC_INDEX_OUT_OF_RANGE,
                             "input '%s': value %" PRId64 " at position %" PRId64 ", expected %" PRId64
                             " to %" PRId64 "%s",
                             input.name, static_cast<int64_t>(values[first]), first, input.index_low,
                             input.index_limit - 1, ignored);
}

static bool isMisaligned(const void *data, uint32_t dtype) {
  return reinterpret_cast<uintptr_t>(data) % dtypeBytes(dtype) != 0;
}

dlc_status checkInputs(dlc_instance &instance, dlc_function_kind function, const void *const *inputs) {
  const dlc_model &model = *instance.model;
  if (!inputs && model.input_count)
    return instance.error.fail(DLC_INVALID_ARGUMENT, "%s: no inputs", model.name);
  for (uint32_t i = 0; i < model.input_count; ++i) {
    const dlc_input &input = model.inputs[i];
    if (!takes(function, input))
      continue;
    const void *data = inputs[i];
    if (!data)
      return instance.error.fail(DLC_INVALID_ARGUMENT, "input '%s' is NULL", input.name);
    if (isMisaligned(data, input.dtype))
      return instance.error.fail(DLC_INVALID_ARGUMENT, "input '%s' is not aligned to its elements' %zu bytes",
                                 input.name, dtypeBytes(input.dtype));
    if (!input.is_index)
      continue;
    const dlc_status status = useIndices(
        input.dtype, data, [&](const auto *values) { return checkIndices(instance, input, values); });
    if (status != DLC_OK)
      return status;
  }
  return DLC_OK;
}

template <typename Tensor>
static Block blockOf(const dlc_instance &instance, const char *what, const Tensor &tensor, const void *data) {
  return {what, tensor.name, data,
          static_cast<size_t>(elementsOf(instance, tensor)) * dtypeBytes(tensor.dtype)};
}

dlc_status refuseOverlap(dlc_instance &instance, const Block &output, const Block &other) {
  if (!output.overlaps(other))
    return DLC_OK;
  return instance.error.fail(DLC_INVALID_ARGUMENT, "the memory of output '%s' overlaps that of %s '%s'",
                             output.name, other.what, other.name);
}

dlc_status checkWritten(dlc_instance &instance, dlc_function_kind function, const void *const *inputs,
                        const Block &written, uint32_t dtype) {
  const dlc_model &model = *instance.model;
  if (!written.data)
    return instance.error.fail(DLC_INVALID_ARGUMENT, "output '%s' is NULL", written.name);
  if (isMisaligned(written.data, dtype))
    return instance.error.fail(DLC_INVALID_ARGUMENT, "output '%s' is not aligned to its elements' %zu bytes",
                               written.name, dtypeBytes(dtype));
  const Block arena = {"the model", model.name, instance.device->arena, instance.target->arena_bytes};
  if (dlc_status status = refuseOverlap(instance, written, arena))
    return status;
  for (uint32_t k = 0; k < model.input_count; ++k)
    if (takes(function, model.inputs[k]))
      if (dlc_status status =
              refuseOverlap(instance, written, blockOf(instance, "input", model.inputs[k], inputs[k])))
        return status;
  return DLC_OK;
}

dlc_status checkOutputs(dlc_instance &instance, dlc_function_kind function, const void *const *inputs,
                        void *const *outputs) {
  const dlc_model &model = *instance.model;
  for (uint32_t i = 0; i < model.output_count; ++i) {
    const dlc_output &output = model.outputs[i];
    if (!gives(function, output))
      continue;
    const Block written = blockOf(instance, "output", output, outputs ? outputs[i] : nullptr);
    if (dlc_status status = checkWritten(instance, function, inputs, written, output.dtype))
      return status;
    for (uint32_t k = 0; k < i; ++k)
      if (gives(function, model.outputs[k]))
        if (dlc_status status =
                refuseOverlap(instance, written, blockOf(instance, "output", model.outputs[k], outputs[k])))
          return status;
  }
  return DLC_OK;
}

} // namespace dlc::runtime
