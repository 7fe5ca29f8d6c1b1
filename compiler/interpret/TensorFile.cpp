//===- TensorFile.cpp - safetensors files ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing safetensors files.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/TensorFile.h"
#include "compiler/interpret/Raw.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>
#include <map>

namespace dlc::interpret {
namespace {

constexpr std::pair<DType, llvm::StringLiteral> dtypeNames[] = {
    {DType::F64, "F64"}, {DType::F32, "F32"}, {DType::F16, "F16"}, {DType::BF16, "BF16"},
    {DType::I64, "I64"}, {DType::I32, "I32"}, {DType::UI8, "U8"},  {DType::I1, "BOOL"}};

std::optional<DType> dtypeNamed(llvm::StringRef name) {
  for (const auto &[dtype, text] : dtypeNames)
    if (text == name)
      return dtype;
  return std::nullopt;
}

llvm::StringRef nameOf(DType dtype) {
  for (const auto &[known, text] : dtypeNames)
    if (known == dtype)
      return text;
  llvm_unreachable("unknown dtype");
}

llvm::Error error(llvm::StringRef path, const llvm::Twine &message) {
  return llvm::createStringError(llvm::Twine(path) + ": " + message);
}

llvm::Expected<std::vector<int64_t>> numbers(llvm::StringRef path, llvm::StringRef name,
                                             const llvm::json::Object &entry, llvm::StringRef key) {
  const llvm::json::Array *array = entry.getArray(key);
  std::vector<int64_t> result;
  for (size_t i = 0; array && i < array->size(); ++i)
    if (std::optional<int64_t> number = (*array)[i].getAsInteger(); number && *number >= 0)
      result.push_back(*number);
  if (!array || result.size() != array->size())
    return error(path, "tensor '" + name + "': expected an array of counts as '" + key + "'");
  return result;
}

/// The shape's number of elements times `bytes`; nullopt on overflow.
std::optional<uint64_t> byteCount(llvm::ArrayRef<int64_t> shape, uint64_t bytes) {
  for (int64_t size : shape)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes))
      return std::nullopt;
  return bytes;
}

/// Whether brackets are nested so deeply that the parser, which calls itself for each, could use up the
/// stack.
bool isDeep(llvm::StringRef json) {
  int depth = 0;
  bool isText = false;
  for (size_t i = 0; i < json.size() && depth < 100; ++i) {
    if (isText && json[i] == '\\')
      ++i;
    else if (json[i] == '"')
      isText = !isText;
    else if (!isText)
      depth += (json[i] == '[' || json[i] == '{') - (json[i] == ']' || json[i] == '}');
  }
  return depth >= 100;
}

llvm::Expected<Tensor> parseTensor(llvm::StringRef path, llvm::StringRef name, const llvm::json::Value &value,
                                   llvm::StringRef data) {
  const llvm::json::Object *entry = value.getAsObject();
  if (!entry)
    return error(path, "tensor '" + name + "': expected an object");
  std::optional<llvm::StringRef> dtypeName = entry->getString("dtype");
  std::optional<DType> dtype = dtypeName ? dtypeNamed(*dtypeName) : std::nullopt;
  if (!dtype)
    return error(path, "tensor '" + name + "': unknown dtype '" + dtypeName.value_or("") + "'");
  auto shape = numbers(path, name, *entry, "shape");
  if (!shape)
    return shape.takeError();
  auto offsets = numbers(path, name, *entry, "data_offsets");
  if (!offsets)
    return offsets.takeError();
  std::optional<uint64_t> expected = byteCount(*shape, bytesOf(*dtype));
  if (offsets->size() != 2 || (*offsets)[0] > (*offsets)[1] ||
      static_cast<uint64_t>((*offsets)[1]) > data.size() || !expected ||
      static_cast<uint64_t>((*offsets)[1] - (*offsets)[0]) != *expected)
    return error(path, "tensor '" + name + "': its place does not fit its shape or the file");
  Tensor tensor = Tensor::zeros(*dtype, *shape);
  llvm::StringRef bytes = data.slice((*offsets)[0], (*offsets)[1]);
  fromBytes(llvm::ArrayRef<char>(bytes.data(), bytes.size()), tensor);
  return tensor;
}

} // namespace

llvm::Expected<llvm::StringMap<Tensor>> readTensorFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return error(path, buffer.getError().message());
  llvm::StringRef content = (*buffer)->getBuffer();
  uint64_t headerSize = content.size() < 8 ? 0 : llvm::support::endian::read64le(content.data());
  if (content.size() < 8 || headerSize > content.size() - 8)
    return error(path, "expected a safetensors file, found a header that is longer than the file");
  if (isDeep(content.substr(8, headerSize)))
    return error(path, "header: expected an object of tensors, found brackets inside brackets");
  auto header = llvm::json::parse(content.substr(8, headerSize));
  if (!header)
    return error(path, "header: " + llvm::toString(header.takeError()));
  if (!header->getAsObject())
    return error(path, "header: expected an object");
  llvm::StringMap<Tensor> tensors;
  for (const auto &[key, value] : *header->getAsObject()) {
    if (key.str() == "__metadata__")
      continue;
    auto tensor = parseTensor(path, key.str(), value, content.drop_front(8 + headerSize));
    if (!tensor)
      return tensor.takeError();
    tensors[key.str()] = std::move(*tensor);
  }
  return tensors;
}

llvm::Error writeTensorFile(llvm::StringRef path, const llvm::StringMap<Tensor> &tensors) {
  std::map<std::string, const Tensor *> ordered;
  for (const auto &entry : tensors)
    ordered[entry.getKey().str()] = &entry.second;
  llvm::json::Object header;
  std::vector<char> data;
  for (const auto &[name, tensor] : ordered) {
    std::vector<char> bytes = toBytes(*tensor);
    llvm::json::Array offsets{static_cast<int64_t>(data.size()),
                              static_cast<int64_t>(data.size() + bytes.size())};
    header[name] = llvm::json::Object{{"dtype", nameOf(tensor->dtype)},
                                      {"shape", llvm::json::Array(tensor->shape)},
                                      {"data_offsets", std::move(offsets)}};
    data.insert(data.end(), bytes.begin(), bytes.end());
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(header));
  text.resize((text.size() + 7) / 8 * 8, ' '); // so that the numbers are aligned
  char length[8];
  llvm::support::endian::write64le(length, text.size());

  std::error_code failed;
  llvm::raw_fd_ostream stream(path, failed);
  if (failed)
    return error(path, failed.message());
  stream << llvm::StringRef(length, 8) << text << llvm::StringRef(data.data(), data.size());
  stream.close();
  return stream.has_error() ? error(path, stream.error().message()) : llvm::Error::success();
}

} // namespace dlc::interpret
