//===- LargeData.cpp - a model without its large tensors -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/LargeData.h"
#include "frontends/onnx/Proto.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

using llvm::StringRef;

namespace dlc::onnx {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

namespace {
struct WireField {
  int number;
  StringRef whole;   ///< with its tag and its length
  StringRef content; ///< of a field that has a length: its bytes
  bool hasLength;
};
} // namespace

/// Calls `visit` for each field of a message; false where it is none.
static bool forEachField(StringRef message, llvm::function_ref<void(const WireField &)> visit) {
  CodedInputStream stream(reinterpret_cast<const uint8_t *>(message.data()), int(message.size()));
  while (true) {
    const int begin = stream.CurrentPosition();
    const uint32_t tag = stream.ReadTag();
    if (tag == 0)
      return size_t(begin) == message.size();
    WireField field{WireFormatLite::GetTagFieldNumber(tag), {}, {}, false};
    if (WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      uint32_t length;
      if (!stream.ReadVarint32(&length) || length > message.size() - stream.CurrentPosition())
        return false;
      field.content = message.substr(stream.CurrentPosition(), length);
      field.hasLength = true;
      if (!stream.Skip(int(length)))
        return false;
    } else if (!WireFormatLite::SkipField(&stream, tag)) {
      return false;
    }
    field.whole = message.slice(begin, stream.CurrentPosition());
    visit(field);
  }
}

/// Appends a field that has a length.
static void append(std::string &bytes, int number, StringRef content) {
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.WriteTag(WireFormatLite::MakeTag(number, WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
  out.WriteVarint32(uint32_t(content.size()));
  out.WriteRaw(content.data(), int(content.size()));
}

/// A tensor without its raw_data, which `large` is then; the whole tensor where they are small, or there
/// twice.
static std::string withoutRawData(StringRef tensor, size_t least, StringRef &large, bool &isMessage) {
  std::string rest;
  StringRef raw;
  int count = 0;
  isMessage = forEachField(tensor, [&](const WireField &field) {
    if (field.number == ::onnx::TensorProto::kRawDataFieldNumber && field.hasLength) {
      raw = field.content;
      ++count;
    } else {
      rest += field.whole;
    }
  });
  if (!isMessage || count != 1 || raw.size() < least)
    return tensor.str();
  large = raw;
  return rest;
}

WithoutLargeData withoutLargeData(StringRef model, size_t least) {
  WithoutLargeData result;
  StringRef graph;
  int graphs = 0;
  bool isSound = forEachField(model, [&](const WireField &field) {
    if (field.number == ::onnx::ModelProto::kGraphFieldNumber && field.hasLength) {
      graph = field.content;
      ++graphs;
    } else {
      result.bytes += field.whole;
    }
  });
  std::string rest;
  int initializers = 0;
  if (isSound && graphs == 1)
    isSound =
        forEachField(graph,
                     [&](const WireField &field) {
                       if (field.number != ::onnx::GraphProto::kInitializerFieldNumber || !field.hasLength) {
                         rest += field.whole;
                         return;
                       }
                       StringRef large;
                       bool isMessage = true;
                       if (field.content.size() < least) {
                         rest += field.whole;
                       } else {
                         append(rest, field.number, withoutRawData(field.content, least, large, isMessage));
                         isSound &= isMessage;
                       }
                       if (!large.empty())
                         result.large.emplace_back(initializers, large);
                       ++initializers;
                     }) &&
        isSound;
  if (!isSound || graphs != 1)
    return {model.str(), {}};
  append(result.bytes, ::onnx::ModelProto::kGraphFieldNumber, rest);
  return result;
}

} // namespace dlc::onnx
