//===- Trainable.cpp - which constants are trained -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Trainable.h"
#include "frontends/common/Options.h"
#include <cmath>

using namespace mlir;

namespace dlc::onnx {

template <typename T> static bool allFinite(const HostTensor &tensor) {
  for (size_t at = 0; at + sizeof(T) <= tensor.data.size(); at += sizeof(T)) {
    T element;
    std::memcpy(&element, tensor.data.data() + at, sizeof(T));
    if (!std::isfinite(element))
      return false;
  }
  return true;
}

static bool isFinite(const HostTensor &tensor) {
  const bool areFinite =
      tensor.type.getElementType().isF64() ? allFinite<double>(tensor) : allFinite<float>(tensor);
  MappedFile::unload(tensor.data);
  return areFinite;
}

/// Says where the user wants to know more why a constant is left as it is.
bool Trainable::leave(StringRef name, StringRef what, StringRef why) {
  if (!options.predictOnly)
    diagnostics.note(what + " '" + name + "' " + why + " (--train='*' --train='" + name + "' trains it too)");
  return false;
}

/// Float initializers are parameters, unless their place or their elements say that they are numbers of a
/// formula.
bool Trainable::decide(StringRef name, const GraphValue &value) {
  const HostTensor &tensor = *value.constant;
  bool isAsked = llvm::is_contained(options.train, name);
  // PyTorch's exporters write parameters as initializers and nothing else.
  if (!value.initializer && (isTorch || !positions.weights.contains(name) || tensor.count() <= 1))
    return false;
  const Ownership known = plan.lookup(names.resolve(name));
  bool isParameter = known.isParameter || (record.isParameter(name) && !known.isConstant);
  if (!isFinite(tensor) && !isParameter) {
    if (isAsked)
      diagnostics.warn("--train='" + name + "' has no effect: the initializer has infinite or NaN elements");
    if (!options.predictOnly)
      diagnostics.note("the initializer '" + name + "' has infinite or NaN elements and is not trained");
    return false;
  }
  if (isAsked || isParameter)
    return true;
  if (known.isConstant || record.isBuffer(name))
    return leave(name, record.isBuffer(name) ? "the buffer" : "the number",
                 "is not trained, as in the exported module");
  return decideByPlace(name, value);
}

/// The decision about an initializer that the exporter's record does not know.
bool Trainable::decideByPlace(StringRef name, const GraphValue &value) {
  const HostTensor &tensor = *value.constant;
  // The older exporter's files do not say which are parameters and which are buffers.
  bool isOfModule = isTorch && !record.isKnown() && !isMadeByExporter(name);
  if (isOfModule && (name.ends_with(".running_mean") || name.ends_with(".running_var")))
    return leave(name, "the running statistic", "is not trained");
  bool isOwn = tensor.type.getRank() > 0 && positions.own.contains(name);
  if (tensor.count() != 1 || isOwn)
    return true;
  // Scales that modules learn are calculated with; limits and numbers to fill in are often buffers.
  if (isOfModule && positions.terms.contains(name)) {
    if (!options.predictOnly)
      diagnostics.remark(
          "the module's '" + name +
          "' has one element: it is trained, as parameters are; if it is a buffer, --freeze='" + name +
          "' leaves it as it is");
    return true;
  }
  if (isOfModule) {
    if (!options.predictOnly)
      diagnostics.warn("the module's '" + name +
                       "' has one element and is no operand of arithmetic: it is not trained; if it is a "
                       "parameter and no buffer, give --train='" +
                       name + "'");
    return false;
  }
  if (isMadeByExporter(name) || !positions.terms.contains(name))
    return leave(name, "the number", "of a formula is not trained");
  if (!options.predictOnly)
    diagnostics.remark("the initializer '" + name +
                       "' has one element and is no layer's own parameter: it is not trained (--train='*' "
                       "--train='" +
                       name + "' trains it too)");
  return false;
}

bool Trainable::isTrained(StringRef name, const GraphValue &value) {
  auto [entry, isNew] = decided.try_emplace(names.resolve(name), false);
  if (isNew)
    entry->second = decide(name, value);
  return entry->second;
}

} // namespace dlc::onnx
