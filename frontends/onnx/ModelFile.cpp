//===- ModelFile.cpp - reading .onnx files
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files come from anywhere: only regular files are read, external data only inside the model's folder
// (not through links that leave it either), offsets and lengths are checked against the file.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/ModelFile.h"
#include "frontends/common/FileInFolder.h"
#include "frontends/onnx/LargeData.h"
#include "frontends/onnx/Messages.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

using namespace llvm;

namespace dlc::onnx {

/// What protobuf can parse at most.
static constexpr uint64_t maxModelBytes = (uint64_t(1) << 31) - 1;

/// The size of the regular file at `path`.
static Expected<uint64_t> fileSize(StringRef path) {
  sys::fs::file_status status;
  if (std::error_code error = sys::fs::status(path, status))
    return createStringError("cannot read the file: " + error.message());
  if (status.type() != sys::fs::file_type::regular_file)
    return createStringError("not a regular file");
  return status.getSize();
}

static Error checkSize(uint64_t size) {
  if (size <= maxModelBytes)
    return Error::success();
  return createStringError("the file has " + Twine(size) + " bytes; a model has at most " +
                           Twine(maxModelBytes) + ", with larger weights as external data");
}

Expected<std::unique_ptr<::onnx::ModelProto>> parseModel(StringRef bytes) {
  if (Error error = checkSize(bytes.size()))
    return std::move(error);
  if (bytes.empty())
    return createStringError("the file is empty");
  if (bytes.starts_with("version https://git-lfs.github.com/spec/"))
    return createStringError("this is a git LFS pointer, not a model: fetch it with 'git lfs pull'");
  auto model = std::make_unique<::onnx::ModelProto>();
  google::protobuf::LogSilencer silencer; // errors are ours to tell
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                int(bytes.size()));
  if (!model->ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return createStringError("not an ONNX model: the file is damaged, cut off or of another format");
  if (!model->has_graph())
    return createStringError("not an ONNX model: there is no graph in it");
  return model;
}

ModelFile::ModelFile(std::unique_ptr<::onnx::ModelProto> proto, StringRef path, bool staysMapped)
    : proto(std::move(proto)), folder(sys::path::parent_path(path)), staysMapped(staysMapped) {}

Expected<ModelFile> ModelFile::parse(StringRef bytes, StringRef path) {
  auto proto = parseModel(bytes);
  if (!proto)
    return proto.takeError();
  return ModelFile(std::move(*proto), path, /*staysMapped=*/false);
}

Expected<ModelFile> ModelFile::read(StringRef path, bool staysMapped) {
  Expected<uint64_t> size = fileSize(path);
  if (!size)
    return size.takeError();
  if (Error error = checkSize(*size))
    return std::move(error);
  auto mapped = MappedFile::open(path);
  if (!mapped)
    return createStringError("cannot read the file: " + mapped.getError().message());
  WithoutLargeData rest = withoutLargeData((*mapped)->bytes());
  auto proto = parseModel(rest.bytes);
  if (!proto)
    return proto.takeError();
  ModelFile result(std::move(*proto), path, staysMapped);
  result.file = std::move(*mapped);
  for (auto [initializer, bytes] : rest.large)
    result.large[&result.proto->graph().initializer(initializer)] = bytes;
  return result;
}

frontend::TensorBytes ModelFile::take(std::shared_ptr<const MappedFile> from, StringRef part) const {
  if (staysMapped)
    return frontend::TensorBytes(std::move(from), part);
  auto copy = frontend::TensorBytes::copy({part.data(), part.size()});
  MappedFile::unload({part.data(), part.size()});
  return copy;
}

std::optional<frontend::TensorBytes> ModelFile::rawData(const ::onnx::TensorProto &tensor) const {
  if (tensor.has_raw_data())
    return frontend::TensorBytes::copy({tensor.raw_data().data(), tensor.raw_data().size()});
  auto found = large.find(&tensor);
  return found == large.end() ? std::nullopt : std::optional(take(file, found->second));
}

Expected<std::shared_ptr<const MappedFile>> ModelFile::mapped(const std::string &path) const {
  std::shared_ptr<const MappedFile> &known = externals[path];
  if (!known) {
    auto opened = MappedFile::open(path);
    if (!opened)
      return errorCodeToError(opened.getError());
    known = std::move(*opened);
  }
  return known;
}

void ModelFile::unload() const {
  auto unloadAll = [](const std::shared_ptr<const MappedFile> &mapped) {
    if (mapped)
      MappedFile::unload({mapped->bytes().data(), mapped->bytes().size()});
  };
  unloadAll(file);
  for (const auto &external : externals)
    unloadAll(external.second);
}

Expected<frontend::TensorBytes> ModelFile::externalData(const ::onnx::TensorProto &tensor,
                                                        uint64_t size) const {
  StringRef location, offsetText = "0", lengthText;
  for (const auto &entry : tensor.external_data()) {
    if (entry.key() == "location")
      location = entry.value();
    else if (entry.key() == "offset")
      offsetText = entry.value();
    else if (entry.key() == "length")
      lengthText = entry.value();
  }
  uint64_t offset, length = size;
  if (offsetText.getAsInteger(10, offset))
    return createStringError("external data has the offset '" + offsetText + "', which is no number");
  if (!lengthText.empty() && lengthText.getAsInteger(10, length))
    return createStringError("external data has the length '" + lengthText + "', which is no number");
  if (length != size)
    return createStringError("external data has " + Twine(length) + " bytes, its shape and type need " +
                             Twine(size));
  Expected<std::string> path =
      frontend::fileInFolder(location, folder, "external data", "the model's folder");
  if (!path)
    return path.takeError();
  Expected<uint64_t> available = fileSize(*path);
  if (!available)
    return createStringError("external data '" + location + "': " + toString(available.takeError()));
  if (offset > *available || size > *available - offset)
    return createStringError("external data '" + location + "' has " + Twine(*available) + " bytes, " +
                             Twine(size) + " at offset " + Twine(offset) + " are expected");
  if (size == 0)
    return frontend::TensorBytes();
  auto bytes = mapped(*path);
  if (!bytes)
    return createStringError("cannot read external data '" + location + "': " + toString(bytes.takeError()));
  if (offset > (*bytes)->bytes().size() || size > (*bytes)->bytes().size() - offset)
    return createStringError("external data '" + location + "' was cut off while it was read");
  return take(*bytes, (*bytes)->bytes().substr(offset, size));
}

} // namespace dlc::onnx
