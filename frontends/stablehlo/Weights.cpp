//===- Weights.cpp - the values of a program's parameters -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Weights.h"
#include "frontends/common/CheckedJson.h"
#include "frontends/common/OpMaker.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace dlc::stablehlo {

/// Bytes of an element; 0 of dtypes that dlc does not have.
static uint64_t bytesOf(StringRef dtype) {
  return StringSwitch<uint64_t>(dtype)
      .Cases({"BOOL", "U8"}, 1)
      .Cases({"F16", "BF16"}, 2)
      .Cases({"F32", "I32"}, 4)
      .Cases({"F64", "I64"}, 8)
      .Default(0);
}

Expected<Weights> Weights::read(StringRef path) {
  sys::fs::file_status status; // a pipe would keep the process waiting
  if (std::error_code error = sys::fs::status(path, status))
    return createStringError("cannot read '" + path + "': " + error.message());
  if (!sys::fs::is_regular_file(status))
    return createStringError("cannot read '" + path + "': not a regular file");
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError("cannot read '" + path + "': " + file.getError().message());
  return parse(std::move(*file));
}

/// The whole numbers of a list, none of them negative.
static std::optional<std::vector<int64_t>> countsAt(const json::Object &object, StringRef key) {
  const json::Array *list = object.getArray(key);
  std::vector<int64_t> numbers;
  if (!list || list->size() > size_t(nn::maxRank))
    return std::nullopt;
  for (const json::Value &each : *list) {
    std::optional<int64_t> number = each.getAsInteger();
    if (!number || *number < 0)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

Error Weights::addTensor(StringRef name, const void *value, StringRef data) {
  const auto &object = *static_cast<const json::Object *>(value);
  WeightTensor tensor;
  tensor.dtype = object.getString("dtype").value_or("").str();
  uint64_t each = bytesOf(tensor.dtype);
  if (each == 0)
    return createStringError("tensor '" + name + "' has the dtype '" +
                             StringRef(tensor.dtype).take_front(20) +
                             "', expected F32, F64, F16, BF16, I32, I64, U8 or BOOL");
  auto shape = countsAt(object, "shape"), range = countsAt(object, "data_offsets");
  std::optional<int64_t> count = shape ? frontend::countElements(*shape) : std::nullopt;
  if (!count || !range || range->size() != 2)
    return createStringError("tensor '" + name + "' has no sound shape, or no two data_offsets");
  uint64_t begin = (*range)[0], end = (*range)[1], size = uint64_t(*count) * each;
  if (end > data.size() || begin > end || end - begin != size)
    return createStringError("tensor '" + name + "' lies at bytes " + Twine(begin) + " to " + Twine(end) +
                             " of " + Twine(data.size()) + ", but its shape and dtype need " + Twine(size));
  tensor.shape = std::move(*shape);
  tensor.bytes = ArrayRef(data.data() + begin, size);
  std::string key = name.str();
  std::replace(key.begin(), key.end(), '/', '.');
  if (!byName.emplace(key, std::move(tensor)).second)
    return createStringError("two tensors are called '" + key + "'");
  return Error::success();
}

Expected<Weights> Weights::parse(std::unique_ptr<MemoryBuffer> file) {
  constexpr uint64_t mostHeader = 100 << 20; // as other readers of safetensors have it
  StringRef bytes = file->getBuffer(), name = file->getBufferIdentifier();
  auto failure = [&](const Twine &what) {
    return createStringError("'" + name + "' is no sound safetensors file: " + what);
  };
  uint64_t header = bytes.size() < 8 ? UINT64_MAX : support::endian::read64le(bytes.data());
  if (header > mostHeader || header > bytes.size() - 8)
    return failure("its header is longer than the file");
  frontend::JsonLimits limits{mostHeader, /*nesting=*/8};
  Expected<json::Value> json = frontend::CheckedJson::parse(bytes.substr(8, header), limits);
  if (!json)
    return failure(toString(json.takeError()));
  const json::Object *tensors = json->getAsObject();
  if (!tensors)
    return failure("its header is no object");
  Weights weights;
  for (const auto &entry : *tensors) {
    StringRef tensor = entry.first;
    const json::Object *object = entry.second.getAsObject();
    if (tensor == "__metadata__")
      continue;
    if (!object)
      return failure("tensor '" + tensor + "' is no object");
    if (Error error = weights.addTensor(tensor, object, bytes.substr(8 + header)))
      return failure(toString(std::move(error)));
  }
  weights.file = std::move(file);
  return std::move(weights);
}

} // namespace dlc::stablehlo
