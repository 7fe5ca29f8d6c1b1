//===- Computed.cpp - constants that an exporter computed of parameters
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant folding leaves a number such as 1 / p behind, and the record of the calls that it was computed by
// is gone. Where the parameter itself is in the file, too, the elements tell: a training would change the
// parameter and leave what was computed of it.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Computed.h"
#include "frontends/onnx/GraphNames.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;

namespace dlc::onnx {

namespace {

/// Functions of a parameter that modules apply to it.
struct Function {
  const char *before, *after; ///< around the parameter's name
  double (*of)(double x);
};

const Function functions[] = {
    {"1 / ", "", [](double x) { return 1 / x; }},
    {"-", "", [](double x) { return -x; }},
    {"exp(", ")", [](double x) { return std::exp(x); }},
    {"exp(-", ")", [](double x) { return std::exp(-x); }},
    {"-exp(", ")", [](double x) { return -std::exp(x); }},
    {"log(", ")", [](double x) { return std::log(x); }},
    {"|", "|", [](double x) { return std::fabs(x); }},
    {"the square of ", "", [](double x) { return x * x; }},
    {"the root of ", "", [](double x) { return std::sqrt(x); }},
    {"1 / the root of ", "", [](double x) { return 1 / std::sqrt(x); }},
    {"sigmoid(", ")", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"1 - sigmoid(", ")", [](double x) { return 1 / (1 + std::exp(x)); }},
    {"tanh(", ")", [](double x) { return std::tanh(x); }},
    {"softplus(", ")", [](double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }},
    {"relu(", ")", [](double x) { return std::fmax(x, 0); }},
    {"1 + ", "", [](double x) { return 1 + x; }},
    {"1 - ", "", [](double x) { return 1 - x; }},
    {"", "", [](double x) { return x; }},
};

/// Larger tensors than those are weights, of which modules take no such function.
constexpr int64_t maxLookedAt = 4096;

bool isFunction(const HostTensor &tensor, const HostTensor &parameter, const Function &function) {
  for (int64_t i = 0, count = tensor.count(); i < count; ++i) {
    double expected = function.of(parameter.number(parameter.splat ? 0 : i)),
           found = tensor.number(tensor.splat ? 0 : i);
    if (!(std::fabs(found - expected) <= 1e-6 * std::fabs(expected)))
      return false;
  }
  return true;
}

/// A parameter may be equal by chance.
bool isOnly(const HostTensor &tensor, double value) {
  for (int64_t i = 0, count = tensor.splat ? 1 : tensor.count(); i < count; ++i)
    if (tensor.number(i) != value)
      return false;
  return true;
}

} // namespace

std::string formulaOf(const HostTensor &tensor, const ExportRecord &record, const GraphNames &names) {
  if (tensor.count() == 0 || tensor.count() > maxLookedAt || isOnly(tensor, 0) || isOnly(tensor, 1))
    return {};
  for (const std::string &parameter : record.parameters()) {
    const HostTensor *whole = names.floatsOf(parameter);
    if (!whole || whole->count() != tensor.count())
      continue;
    for (const Function &function : functions)
      if (isFunction(tensor, *whole, function))
        return (function.before + ("'" + parameter) + "'" + function.after);
  }
  return {};
}

} // namespace dlc::onnx
