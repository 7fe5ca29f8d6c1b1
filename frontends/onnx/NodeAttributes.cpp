//===- NodeAttributes.cpp - the attributes of an ONNX node, checked
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Node.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

using namespace mlir;

namespace dlc::onnx {

const ::onnx::AttributeProto *Node::attribute(StringRef name) const {
  for (const ::onnx::AttributeProto &attribute : proto.attribute())
    if (StringRef(attribute.name()) == name)
      return &attribute;
  return nullptr;
}

bool Node::hasAttribute(StringRef name) const { return attribute(name) != nullptr; }

/// Attributes that say yes or no, whatever operator has them. Readers take other numbers differently: as yes,
/// as no, or by their last bits.
static bool isTruthValue(StringRef name) {
  static const llvm::StringSet<> names = {"align_corners",
                                          "allowzero",
                                          "antialias",
                                          "broadcast",
                                          "ceil_mode",
                                          "count_include_pad",
                                          "exclude_outside",
                                          "detect_negative",
                                          "detect_positive",
                                          "exclusive",
                                          "fmod",
                                          "input_forget",
                                          "interleaved",
                                          "is_causal",
                                          "is_test",
                                          "keepdims",
                                          "largest",
                                          "linear_before_reset",
                                          "noop_with_empty_axes",
                                          "reverse",
                                          "select_last_index",
                                          "sorted",
                                          "spatial",
                                          "storage_order",
                                          "training_mode",
                                          "transA",
                                          "transB",
                                          "unidirectional",
                                          "upper"};
  return names.contains(name);
}

int64_t Node::integer(StringRef name, int64_t fallback) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (!found)
    return fallback;
  if (!found->has_i())
    error("attribute '" + name + "' must be an integer");
  else if (isTruthValue(name) && found->i() != 0 && found->i() != 1)
    error("attribute '" + name + "' is " + Twine(found->i()) + ", expected 0 or 1");
  else
    return found->i();
  return fallback;
}

/// Whether it has a value of another kind in place of a list's: it would be read as a list without elements.
static bool isNoList(const ::onnx::AttributeProto &attribute, int listed) {
  return listed == 0 &&
         (attribute.has_i() || attribute.has_f() || attribute.has_s() || attribute.has_t() ||
          attribute.has_g() || attribute.ints_size() || attribute.floats_size() || attribute.strings_size());
}

double Node::anyNumber(StringRef name, double fallback) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (found && !found->has_f())
    error("attribute '" + name + "' must be a number");
  return found ? double(found->f()) : fallback;
}

double Node::number(StringRef name, double fallback, double low, double high) {
  double given = anyNumber(name, fallback);
  if (std::isfinite(given) && given >= low && given <= high)
    return given;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  error("attribute '" + name + "' is " + str(given) + ", expected a finite number" +
        (low == -infinity   ? ""
         : high == infinity ? " of at least " + str(low)
                            : " from " + str(low) + " to " + str(high)));
  return fallback;
}

std::string Node::text(StringRef name, StringRef fallback) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (found && !found->has_s())
    error("attribute '" + name + "' must be a string");
  return found ? found->s() : fallback.str();
}

std::optional<SmallVector<int64_t>> Node::integerList(StringRef name) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (!found)
    return std::nullopt;
  if (isNoList(*found, found->ints_size()))
    error("attribute '" + name + "' must be a list of integers");
  return SmallVector<int64_t>(found->ints().begin(), found->ints().end());
}

std::optional<SmallVector<float>> Node::numberList(StringRef name) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (!found)
    return std::nullopt;
  if (isNoList(*found, found->floats_size()))
    error("attribute '" + name + "' must be a list of numbers");
  return SmallVector<float>(found->floats().begin(), found->floats().end());
}

} // namespace dlc::onnx
