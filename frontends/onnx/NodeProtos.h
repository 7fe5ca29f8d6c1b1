//===- NodeProtos.h - what messages call nodes ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of nodes as errors say them, and their attributes as the file has them.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_NODEPROTOS_H
#define DLC_FRONTENDS_ONNX_NODEPROTOS_H

#include "frontends/onnx/Proto.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace dlc::onnx {

/// The operator with its domain, which ONNX's own have none of: "com.microsoft.Gelu".
std::string fullName(const ::onnx::NodeProto &node);
/// A node's name, else that of its first output.
llvm::StringRef nameOf(const ::onnx::NodeProto &node);
/// "node 'fc1' (Gemm)".
std::string describe(const ::onnx::NodeProto &node);
/// Null where the node has no attribute of that name.
const ::onnx::AttributeProto *findAttribute(const ::onnx::NodeProto &node, llvm::StringRef name);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_NODEPROTOS_H
