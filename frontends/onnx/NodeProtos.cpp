//===- NodeProtos.cpp - what messages call nodes ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/NodeProtos.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace dlc::onnx {

std::string fullName(const ::onnx::NodeProto &node) {
  bool isOwn = node.domain().empty() || node.domain() == "ai.onnx";
  return isOwn ? node.op_type() : node.domain() + "." + node.op_type();
}

StringRef nameOf(const ::onnx::NodeProto &node) {
  return node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
}

std::string describe(const ::onnx::NodeProto &node) {
  return ("node '" + nameOf(node) + "' (" + node.op_type() + ")").str();
}

const ::onnx::AttributeProto *findAttribute(const ::onnx::NodeProto &node, StringRef name) {
  for (const ::onnx::AttributeProto &attribute : node.attribute())
    if (StringRef(attribute.name()) == name)
      return &attribute;
  return nullptr;
}

} // namespace dlc::onnx
