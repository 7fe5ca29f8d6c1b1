//===- Gradients.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to gradients by their parameter's name, and their norm.
//===----------------------------------------------------------------------===//
#include "runtime/core/Access.h"
#include "runtime/core/DType.h"
#include "runtime/core/Layout.h"

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace dlc::runtime {

namespace {

/// A gradient is named after its parameter: "fc1.weight" or "fc1.weight.grad".
class GradientName {
public:
  GradientName(const dlc_instance &instance, const char *given) : name(given) {
    if (given && !findSymbol(*instance.model, given, kind) &&
        static_cast<size_t>(snprintf(full, sizeof full, "%s.grad", given)) < sizeof full &&
        findSymbol(*instance.model, full, kind))
      name = full;
  }
  operator const char *() const { return name; }

  static constexpr uint32_t kind = 1u << DLC_GRADIENT;

private:
  char full[1024];
  const char *name;
};

double sumOfSquares(uint32_t dtype, const void *values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const double value = dtype == DLC_F64 ? static_cast<const double *>(values)[i]
                                          : static_cast<double>(static_cast<const float *>(values)[i]);
    sum += value * value;
  }
  return sum;
}

/// Whether the symbol is a parameter's gradient: what else steps keep beside these, such as the weight of the
/// labels, is none.
bool isGradient(const dlc_model &model, const dlc_symbol &symbol) {
  char parameter[1024];
  const size_t length = strlen(symbol.name);
  constexpr size_t suffix = sizeof ".grad" - 1;
  if (symbol.kind != DLC_GRADIENT || length <= suffix || length >= sizeof parameter ||
      strcmp(symbol.name + length - suffix, ".grad") != 0)
    return false;
  memcpy(parameter, symbol.name, length - suffix);
  parameter[length - suffix] = 0;
  return findSymbol(model, parameter, 1u << DLC_PARAMETER) != nullptr;
}

/// What the gradients of a joined loss were divided by: a number of labels, or a sum of their weights.
bool isWeightOfGradients(const dlc_model &model, const dlc_symbol &symbol) {
  constexpr char name[] = "gradient_weight"; // or longer, where the model has that name
  return symbol.kind == DLC_GRADIENT && symbol.dtype == DLC_F64 && symbol.rank == 0 &&
         strncmp(symbol.name, name, sizeof name - 1) == 0 && !isGradient(model, symbol);
}

/// An update divides by it: a weight that is none would make all parameters NaN, or turn them round.
dlc_status checkWeight(dlc_instance &instance, const char *name, const void *buffer, size_t bytes) {
  const dlc_symbol *symbol = name ? findSymbol(*instance.model, name, GradientName::kind) : nullptr;
  double weight;
  if (!symbol || !buffer || bytes != sizeof weight || !isWeightOfGradients(*instance.model, *symbol))
    return DLC_OK;
  memcpy(&weight, buffer, sizeof weight);
  if (weight >= 0 && weight <= DBL_MAX)
    return DLC_OK;
  return instance.error.fail(DLC_INVALID_ARGUMENT,
                             "'%s', the weight of gradients, is %g: expected a finite number of at least 0",
                             name, weight);
}

/// Computes the norm of the gradients as gradient_read gives them, in a program whose steps do not compute
/// it.
dlc_status computeNorm(dlc_instance &instance, double &norm) {
  const dlc_model &model = *instance.model;
  size_t most = 0;
  for (uint32_t i = 0; i < model.symbol_count; ++i)
    if (const dlc_symbol &symbol = model.symbols[i]; isGradient(model, symbol)) {
      if (symbol.dtype != DLC_F32 && symbol.dtype != DLC_F64)
        return instance.error.fail(DLC_UNAVAILABLE, "%s: the gradient '%s' is %s, expected F32 or F64",
                                   model.name, symbol.name, dtypeName(symbol.dtype));
      const size_t bytes = logicalBytes(symbol);
      most = bytes > most ? bytes : most;
    }
  Array<char> values;
  if (most && !values.allocate(most))
    return instance.error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for a gradient of %zu bytes", model.name,
                               most);
  double sum = 0;
  for (uint32_t i = 0; i < model.symbol_count; ++i) {
    const dlc_symbol &symbol = model.symbols[i];
    const size_t bytes = isGradient(model, symbol) ? logicalBytes(symbol) : 0;
    if (!bytes)
      continue;
    instance.fetch(symbol, values.data());
    sum += sumOfSquares(symbol.dtype, values.data(), bytes / dtypeBytes(symbol.dtype));
  }
  norm = sqrt(sum);
  return instance.deviceStatus();
}

/// Whether steps compute the norm: the program clips by it, or was asked for it.
bool stepsComputeNorm(const dlc_model &model) {
  for (uint32_t i = 0; i < model.output_count; ++i)
    if (model.outputs[i].role == DLC_OUTPUT_GRAD_NORM)
      return true;
  return false;
}

} // namespace

const dlc_symbol *findGradient(const dlc_model &model, const dlc_symbol &parameter, uint32_t &hint) {
  const size_t length = strlen(parameter.name);
  for (uint32_t i = 0; i < model.symbol_count; ++i) {
    const uint32_t place = (hint + i) % model.symbol_count;
    const dlc_symbol &symbol = model.symbols[place];
    if (symbol.kind != DLC_GRADIENT || strncmp(symbol.name, parameter.name, length) != 0 ||
        strcmp(symbol.name + length, ".grad") != 0)
      continue;
    hint = place + 1;
    return &symbol;
  }
  return nullptr;
}

} // namespace dlc::runtime

using dlc::runtime::Call;
using dlc::runtime::GradientName;

extern "C" {

dlc_status dlc_instance_gradient_read(dlc_instance *instance, const char *name, void *buffer, size_t bytes) {
  Call call(instance);
  if (call.refused())
    return call.status();
  if (!instance->hasGradients)
    return instance->error.fail(DLC_UNAVAILABLE, "%s: no gradients yet, call grad_step first",
                                instance->model->name);
  return dlc::runtime::read(instance, GradientName(*instance, name), GradientName::kind, "gradient of",
                            buffer, bytes);
}

dlc_status dlc_instance_gradient_write(dlc_instance *instance, const char *name, const void *buffer,
                                       size_t bytes) {
  Call call(instance);
  if (call.refused())
    return call.status();
  const GradientName gradient(*instance, name);
  dlc_status status = dlc::runtime::checkWeight(*instance, gradient, buffer, bytes);
  if (status == DLC_OK)
    status = dlc::runtime::write(instance, gradient, GradientName::kind, "gradient of", buffer, bytes);
  if (status == DLC_OK)
    instance->hasGradients = instance->keepsGradients = true; // those that nobody has written are 0
  return status;
}

dlc_status dlc_instance_grad_norm(dlc_instance *instance, double *norm) {
  if (!norm)
    return DLC_INVALID_ARGUMENT;
  *norm = 0;
  Call call(instance);
  if (call.refused())
    return call.status();
  if (dlc_status status = dlc::runtime::settle(*instance))
    return status;
  if (!dlc::runtime::stepsComputeNorm(*instance->model)) {
    if (instance->keepsGradients)
      return dlc::runtime::computeNorm(*instance, *norm);
    return instance->error.fail(DLC_UNAVAILABLE,
                                "%s: there are no gradients whose norm could be computed: call grad_step "
                                "before, as train_step keeps none, or compile with --grad-norm (a session: "
                                "with its option grad_norm), with which each step computes it",
                                instance->model->name);
  }
  if (!instance->hasGradNorm)
    return instance->error.fail(DLC_UNAVAILABLE, "%s: no train_step or apply has computed a norm yet",
                                instance->model->name);
  *norm = instance->gradNorm;
  return DLC_OK;
}

} // extern "C"
