//===- FlatValues.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All parameters, or all gradients, as one array of the caller: one tensor after the other in the order of
// parameter_info, each in its logical row-major form. The array has doubles where the model has a parameter
// or buffer of F64, else floats. Tensors of other dtypes have no part in it.
//===----------------------------------------------------------------------===//
#include "runtime/core/Access.h"
#include "runtime/core/DType.h"
#include "runtime/core/Layout.h"

#include <cinttypes>

namespace dlc::runtime {

namespace {

enum class Chosen { All, Trainable, Gradients };

bool isFloating(const dlc_symbol &symbol) { return symbol.dtype == DLC_F32 || symbol.dtype == DLC_F64; }

bool isChosen(const dlc_symbol &symbol, Chosen chosen) {
  if (!isFloating(symbol))
    return false;
  if (chosen == Chosen::All && symbol.kind == DLC_BUFFER)
    return true;
  return symbol.kind == DLC_PARAMETER && (chosen == Chosen::All || symbol.trainable);
}

int64_t elementsOf(const dlc_symbol &symbol) {
  return static_cast<int64_t>(logicalBytes(symbol) / dtypeBytes(symbol.dtype));
}

int64_t countOf(const dlc_model &model, Chosen chosen) {
  int64_t count = 0;
  for (uint32_t i = 0; i < model.symbol_count; ++i)
    count += isChosen(model.symbols[i], chosen) ? elementsOf(model.symbols[i]) : 0;
  return count;
}

/// The dtype of the array's elements.
uint32_t dtypeOf(const dlc_model &model) {
  for (uint32_t i = 0; i < model.symbol_count; ++i)
    if (isChosen(model.symbols[i], Chosen::All) && model.symbols[i].dtype == DLC_F64)
      return DLC_F64;
  return DLC_F32;
}

/// Walks through the chosen tensors and their parts of the array.
class FlatValues {
public:
  FlatValues(dlc_instance &instance, Chosen chosen)
      : instance(instance), model(*instance.model), chosen(chosen), dtype(dtypeOf(model)) {}

  dlc_status check(const void *values, int64_t count) {
    const char *const what = chosen == Chosen::All         ? "all parameters and buffers"
                             : chosen == Chosen::Trainable ? "all trained parameters"
                                                           : "the gradients of all trained parameters";
    const int64_t expected = countOf(model, chosen);
    if (count != expected)
      return instance.error.fail(DLC_INVALID_ARGUMENT,
                                 "%s: %s are %" PRId64 " numbers; the array has %" PRId64, model.name, what,
                                 expected, count);
    if (!values && count)
      return instance.error.fail(DLC_INVALID_ARGUMENT, "%s: the array of %s is NULL", model.name, what);
    return chosen == Chosen::Gradients ? checkGradients() : DLC_OK;
  }

  dlc_status read(void *values) {
    unsigned char *next = static_cast<unsigned char *>(values);
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      if (isChosen(model.symbols[i], chosen)) {
        const dlc_symbol &symbol = symbolFor(model.symbols[i]);
        const size_t count = static_cast<size_t>(elementsOf(symbol));
        readTensor(symbol, next, count);
        next += count * dtypeBytes(dtype);
      }
    return instance.deviceStatus();
  }

  dlc_status write(const void *values) {
    if (dlc_status status = prepareRounded())
      return status;
    const unsigned char *next = static_cast<const unsigned char *>(values);
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      if (isChosen(model.symbols[i], chosen)) {
        const dlc_symbol &symbol = symbolFor(model.symbols[i]);
        const size_t count = static_cast<size_t>(elementsOf(symbol));
        if (count)
          instance.store(symbol, symbol.dtype == dtype ? next : round(next, count));
        next += count * dtypeBytes(dtype);
      }
    return instance.deviceStatus();
  }

private:
  /// The parameter itself, or its gradient, which check has found.
  const dlc_symbol &symbolFor(const dlc_symbol &parameter) {
    return chosen == Chosen::Gradients ? *findGradient(model, parameter, hint) : parameter;
  }

  dlc_status checkGradients() {
    uint32_t near = 0;
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      if (isChosen(model.symbols[i], chosen)) {
        const dlc_symbol *gradient = findGradient(model, model.symbols[i], near);
        if (!gradient || gradient->dtype != model.symbols[i].dtype ||
            elementsOf(*gradient) != elementsOf(model.symbols[i]))
          return instance.error.fail(DLC_NOT_FOUND, "%s keeps no gradient of '%s'", model.name,
                                     model.symbols[i].name);
      }
    return DLC_OK;
  }

  void readTensor(const dlc_symbol &symbol, unsigned char *to, size_t count) {
    if (symbol.dtype == dtype) {
      instance.fetch(symbol, to);
      return;
    }
    // Floats to the second half of their place, which doubles then fill from its begin: each float is read
    // before a double is written over it.
    const unsigned char *from = to + count * sizeof(float);
    instance.fetch(symbol, to + count * sizeof(float));
    for (size_t i = 0; i < count; ++i) {
      float narrow;
      memcpy(&narrow, from + i * sizeof narrow, sizeof narrow);
      const double wide = static_cast<double>(narrow);
      memcpy(to + i * sizeof wide, &wide, sizeof wide);
    }
  }

  /// Memory for floats that come as doubles: before anything has changed.
  dlc_status prepareRounded() {
    size_t most = 0;
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      if (isChosen(model.symbols[i], chosen) && model.symbols[i].dtype != dtype) {
        const size_t count = static_cast<size_t>(elementsOf(model.symbols[i]));
        most = count > most ? count : most;
      }
    return !most || rounded.allocate(most)
               ? DLC_OK
               : instance.error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to round %zu numbers", model.name,
                                     most);
  }

  const void *round(const unsigned char *from, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      double wide;
      memcpy(&wide, from + i * sizeof wide, sizeof wide);
      rounded[i] = static_cast<float>(wide);
    }
    return rounded.data();
  }

  dlc_instance &instance;
  const dlc_model &model;
  const Chosen chosen;
  const uint32_t dtype;
  uint32_t hint = 0; ///< near which symbol the next gradient is looked for
  Array<float> rounded;
};

Chosen parameters(int32_t trainableOnly) { return trainableOnly ? Chosen::Trainable : Chosen::All; }

} // namespace
} // namespace dlc::runtime

using dlc::runtime::Call;
using dlc::runtime::Chosen;
using dlc::runtime::FlatValues;

extern "C" {

int64_t dlc_instance_parameters_count(const dlc_instance *instance, int32_t trainable_only) {
  return instance ? dlc::runtime::countOf(*instance->model, dlc::runtime::parameters(trainable_only)) : 0;
}

dlc_status dlc_instance_parameters_read_all(dlc_instance *instance, void *values, int64_t count,
                                            int32_t trainable_only) {
  Call call(instance);
  if (call.refused())
    return call.status();
  FlatValues flat(*instance, dlc::runtime::parameters(trainable_only));
  if (dlc_status status = flat.check(values, count))
    return status;
  return flat.read(values);
}

dlc_status dlc_instance_parameters_write_all(dlc_instance *instance, const void *values, int64_t count,
                                             int32_t trainable_only) {
  Call call(instance);
  if (call.refused())
    return call.status();
  FlatValues flat(*instance, dlc::runtime::parameters(trainable_only));
  if (dlc_status status = flat.check(values, count))
    return status;
  return flat.write(values);
}

dlc_status dlc_instance_gradients_read_all(dlc_instance *instance, void *values, int64_t count) {
  Call call(instance);
  if (call.refused())
    return call.status();
  if (!instance->hasGradients)
    return instance->error.fail(DLC_UNAVAILABLE, "%s: no gradients yet, call grad_step first",
                                instance->model->name);
  FlatValues flat(*instance, Chosen::Gradients);
  if (dlc_status status = flat.check(values, count))
    return status;
  return flat.read(values);
}

dlc_status dlc_instance_gradients_write_all(dlc_instance *instance, const void *values, int64_t count) {
  Call call(instance);
  if (call.refused())
    return call.status();
  FlatValues flat(*instance, Chosen::Gradients);
  dlc_status status = flat.check(values, count);
  if (status == DLC_OK)
    status = flat.write(values);
  if (status == DLC_OK)
    instance->hasGradients = instance->keepsGradients = true;
  return status;
}

} // extern "C"
