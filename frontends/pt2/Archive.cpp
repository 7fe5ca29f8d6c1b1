//===- Archive.cpp - a .pt2 archive -----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Archive.h"
#include "frontends/common/OpMaker.h"
#include "frontends/pt2/Inline.h"
#include "mlir/IR/Builders.h"

using namespace llvm;

namespace dlc::pt2 {

/// Tensors whose elements share numbers (of an expand) are written out up to this many.
static constexpr uint64_t mostShared = 1 << 24;

mlir::Type elementTypeOf(int64_t dtype, mlir::MLIRContext &context) {
  mlir::Builder b(&context);
  switch (DType(dtype)) {
  case DType::Byte:
    return b.getIntegerType(8, /*isSigned=*/false);
  case DType::Int:
    return b.getI32Type();
  case DType::Long:
    return b.getI64Type();
  case DType::Half:
  case DType::BFloat16:
  case DType::Float:
    return b.getF32Type();
  case DType::Double:
    return b.getF64Type();
  case DType::Bool:
    return b.getI1Type();
  }
  return {};
}

static uint64_t bytesOf(int64_t dtype) {
  switch (DType(dtype)) {
  case DType::Bool:
  case DType::Byte:
    return 1;
  case DType::Half:
  case DType::BFloat16:
    return 2;
  case DType::Int:
  case DType::Float:
    return 4;
  default:
    return 8;
  }
}

//===-- Finding things ---------------------------------------------------------===//

static Error withFile(StringRef file, Error error) {
  return createStringError(file + ": " + toString(std::move(error)));
}

Expected<Archive> Archive::open(StringRef bytes) {
  Expected<Zip> zip = Zip::open(bytes);
  if (!zip)
    return createStringError("not a .pt2 archive of torch.export.save: " + toString(zip.takeError()));
  Archive archive(std::move(*zip));
  if (Error error = archive.findModel())
    return std::move(error);
  std::string path = archive.root + "models/" + archive.name + ".json";
  Expected<StringRef> text = archive.zip.read(path);
  if (!text)
    return text.takeError();
  Expected<Model> model = parseModel(*text);
  if (!model)
    return withFile(path, model.takeError());
  archive.model = std::move(*model);
  inlineGradModes(archive.model.graph);
  for (auto [folder, kind, tensors] : {std::tuple("weights", "weights", &archive.weights),
                                       std::tuple("constants", "constants", &archive.constants)}) {
    Expected<StringMap<Payload>> payloads = archive.readPayloads(folder, kind);
    if (!payloads)
      return payloads.takeError();
    *tensors = std::move(*payloads);
  }
  return archive;
}

/// All entries lie in one folder, whose name is any.
Error Archive::findModel() {
  std::vector<StringRef> models;
  bool isOld = false, isCompiled = false;
  for (StringRef entry : zip.names()) {
    StringRef path = entry.contains('/') ? entry.split('/').second : entry;
    isOld |= path.ends_with("serialized_exported_program.json");
    isCompiled |= path.starts_with("data/aotinductor/");
    if (path.starts_with("models/") && path.ends_with(".json"))
      models.push_back(entry);
  }
  if (models.empty())
    return createStringError(
        isOld ? "the archive has the layout of PyTorch 2.7 and earlier, whose tensors are objects of Python; "
                "load it with torch.export.load in PyTorch 2.8 or later and save it again"
        : isCompiled
            ? "the archive holds a model that torch._inductor has compiled, and no graph; save the exported "
              "program itself, with torch.export.save"
            : "not a .pt2 archive of torch.export.save: it has no models/model.json");
  if (models.size() > 1)
    return createStringError("the archive has " + Twine(models.size()) +
                             " models, expected one, as torch.export.save writes "
                             "it");
  auto [folder, path] = models.front().split('/');
  root = (folder + "/").str();
  name = path.drop_front(StringRef("models/").size()).drop_back(StringRef(".json").size()).str();
  if (zip.has(root + "byteorder")) {
    Expected<StringRef> order = zip.read(root + "byteorder");
    if (!order)
      return order.takeError();
    if (*order != "little")
      return createStringError("the archive's numbers have another byte order than 'little'");
  }
  return Error::success();
}

Expected<StringMap<Payload>> Archive::readPayloads(StringRef folder, StringRef kind) {
  std::string path = root + ("data/" + folder + "/" + name + "_" + kind + "_config.json").str();
  if (!zip.has(path))
    return StringMap<Payload>();
  Expected<StringRef> text = zip.read(path);
  if (!text)
    return text.takeError();
  Expected<StringMap<Payload>> payloads = parsePayloads(*text);
  if (!payloads)
    return withFile(path, payloads.takeError());
  return payloads;
}

/// A buffer that is not persistent is among the constants.
const Payload *Archive::find(const InputSpec &spec, StringRef &folder) const {
  for (auto [name, tensors] : {std::pair("weights", &weights), std::pair("constants", &constants)}) {
    bool mayBeHere = spec.kind == InputSpec::Kind::Buffer ||
                     (spec.kind == InputSpec::Kind::Constant) == (tensors == &constants);
    auto found = tensors->find(spec.target);
    if (!mayBeHere || found == tensors->end())
      continue;
    folder = name;
    return &found->second;
  }
  return nullptr;
}

bool Archive::requiresGrad(const InputSpec &spec) const {
  StringRef folder;
  const Payload *payload = find(spec, folder);
  return payload && payload->meta.requiresGrad;
}

//===-- Tensors ----------------------------------------------------------------===//

/// Sizes and strides as numbers, and which elements of the storage they reach.
static Expected<Storage> storageOf(const Payload &payload) {
  const TensorMeta &meta = payload.meta;
  Storage storage{payload.path, 0, 0, {}, {}};
  for (const auto &[from, to] :
       {std::pair(&meta.sizes, &storage.sizes), std::pair(&meta.strides, &storage.strides)})
    for (const Size &size : *from) {
      if (!size.expression.empty() || size.number < 0 || size.number > frontend::maxDim)
        return createStringError("has a size or a stride that is no number from 0 to " +
                                 Twine(frontend::maxDim));
      to->push_back(size.number);
    }
  if (storage.sizes.size() != storage.strides.size())
    return createStringError("has " + Twine(storage.sizes.size()) + " sizes and " +
                             Twine(storage.strides.size()) + " strides");
  std::optional<int64_t> count = frontend::countElements(storage.sizes);
  if (!count)
    return createStringError("is too large, or has too many dims");
  if (!meta.offset.expression.empty() || meta.offset.number < 0 || meta.offset.number > nn::maxElements)
    return createStringError("has an offset that is no number from 0 on");
  storage.first = storage.last = meta.offset.number;
  for (auto [size, stride] : zip_equal(storage.sizes, storage.strides))
    if (*count > 0)
      storage.last = nn::saturatingAdd(storage.last, nn::saturatingMultiply(size - 1, stride));
  return storage;
}

Expected<Storage> Archive::storageOf(const InputSpec &spec) const {
  StringRef folder;
  const Payload *payload = find(spec, folder);
  if (!payload)
    return createStringError("is not in the archive");
  Expected<Storage> storage = pt2::storageOf(*payload);
  if (storage)
    storage->path = (folder + "/" + storage->path).str();
  return storage;
}

static float widened(const char *bytes, DType dtype) {
  uint16_t bits;
  std::memcpy(&bits, bytes, 2);
  const fltSemantics &semantics = dtype == DType::Half ? APFloat::IEEEhalf() : APFloat::BFloat();
  APFloat number(semantics, APInt(16, bits));
  bool losesInfo;
  number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToFloat();
}

/// Elements in row-major order.
static std::vector<char> inOrder(StringRef stored, const Storage &storage, int64_t dtype) {
  uint64_t size = bytesOf(dtype), count = 1;
  bool isNarrow = size == 2;
  for (int64_t dim : storage.sizes)
    count *= dim;
  std::vector<char> bytes;
  bytes.reserve(count * (isNarrow ? 4 : size));
  std::vector<int64_t> index(storage.sizes.size(), 0);
  uint64_t at = storage.first;
  for (uint64_t i = 0; i < count; ++i) {
    const char *element = stored.data() + at * size;
    if (isNarrow) {
      float number = widened(element, DType(dtype));
      bytes.insert(bytes.end(), reinterpret_cast<char *>(&number), reinterpret_cast<char *>(&number) + 4);
    } else {
      bytes.insert(bytes.end(), element, element + size);
    }
    for (size_t d = index.size(); d-- > 0;) {
      at += storage.strides[d];
      if (++index[d] < storage.sizes[d])
        break;
      at -= uint64_t(storage.strides[d]) * storage.sizes[d];
      index[d] = 0;
    }
  }
  return bytes;
}

Expected<Tensor> Archive::read(const InputSpec &spec, mlir::MLIRContext &context) const {
  StringRef folder;
  const Payload *payload = find(spec, folder);
  if (!payload)
    return createStringError("is not in the archive");
  mlir::Type element = elementTypeOf(payload->meta.dtype, context);
  if (!element)
    return createStringError("has elements of type " + dtypeName(payload->meta.dtype) +
                             ", which dlc does not have");
  Expected<Storage> storage = pt2::storageOf(*payload);
  if (!storage)
    return storage.takeError();
  std::string path = root + ("data/" + folder + "/" + payload->path).str();
  auto type = mlir::RankedTensorType::get(storage->sizes, element);
  uint64_t count = type.getNumElements(), size = bytesOf(payload->meta.dtype);
  if (count == 0)
    return Tensor{type, {}};
  Expected<StringRef> stored = zip.read(path);
  if (!stored)
    return stored.takeError();
  if (storage->last >= stored->size() / size)
    return createStringError("needs " + Twine(storage->last + 1) + " elements of " + Twine(size) +
                             " bytes, and its entry '" + path + "' has " + Twine(stored->size()) + " bytes");
  if (count > std::max<uint64_t>(stored->size() / size, mostShared))
    return createStringError("has " + Twine(count) +
                             " elements of which most are the same: an expanded tensor; make it whole "
                             "with .contiguous() before the export");
  return Tensor{type, inOrder(*stored, *storage, payload->meta.dtype)};
}

} // namespace dlc::pt2
