//===- Gradients.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to gradients by their parameter's name, and their norm.
//===----------------------------------------------------------------------===//
#include "runtime/core/Access.h"

#include <cstdio>

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

} // namespace
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
  dlc_status status = dlc::runtime::write(instance, GradientName(*instance, name), GradientName::kind,
                                          "gradient of", buffer, bytes);
  if (status == DLC_OK)
    instance->hasGradients = true; // those that nobody has written are 0
  return status;
}

dlc_status dlc_instance_grad_norm(dlc_instance *instance, double *norm) {
  if (!norm)
    return DLC_INVALID_ARGUMENT;
  *norm = 0;
  Call call(instance);
  if (call.refused())
    return call.status();
  if (!instance->hasGradNorm)
    return instance->error.fail(DLC_UNAVAILABLE, "%s: no gradients have been clipped yet",
                                instance->model->name);
  if (dlc_status status = dlc::runtime::settle(*instance))
    return status;
  *norm = instance->gradNorm;
  return DLC_OK;
}

} // extern "C"
