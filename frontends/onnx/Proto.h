//===- Proto.h - ONNX's message classes, declared --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enough for signatures; sources that look into messages include Messages.h, which is large.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_PROTO_H
#define DLC_FRONTENDS_ONNX_PROTO_H

namespace onnx {
class AttributeProto;
class GraphProto;
class ModelProto;
class NodeProto;
class TensorProto;
class TensorShapeProto;
class ValueInfoProto;
} // namespace onnx

#endif // DLC_FRONTENDS_ONNX_PROTO_H
