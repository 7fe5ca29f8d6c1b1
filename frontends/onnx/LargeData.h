//===- LargeData.h - a model without its large tensors ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// protobuf copies all bytes of a message. The elements of large tensors are better left where they are, in a
// file that is mapped: the message is parsed without them.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_LARGEDATA_H
#define DLC_FRONTENDS_ONNX_LARGEDATA_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>
#include <vector>

namespace dlc::onnx {

/// Elsewhere than in tests, raw_data with fewer bytes stay in the message.
constexpr size_t leastLargeData = 64 << 10;

struct WithoutLargeData {
  std::string bytes; ///< of the ModelProto
  /// The number of an initializer of the model's graph, and the raw_data that it lacks, a part of what was
  /// read.
  std::vector<std::pair<int, llvm::StringRef>> large;
};

/// Takes the raw_data of initializers, of at least `least` bytes, out of a ModelProto's bytes. Where these are not what is
/// expected, or have a graph twice, all of them stay, and protobuf has to say what is wrong.
WithoutLargeData withoutLargeData(llvm::StringRef model, size_t least = leastLargeData);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_LARGEDATA_H
