//===- Save.cpp -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes an instance's state as a safetensors file: parameters, buffers, the optimizer's state,
// hyperparameters, random state and step count, each by its name and in its logical form.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/core/File.h"
#include "runtime/core/Instance.h"
#include "runtime/core/Layout.h"
#include "runtime/core/SafetensorsHeader.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace dlc::runtime {

namespace {

/// A growing text; the first failure to grow sticks.
class Text {
public:
  void add(const char *format, ...) __attribute__((format(printf, 2, 3))) {
    char piece[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    for (int i = 0; i < length; ++i)
      addChar(piece[i]);
  }

  /// `string` as a JSON string.
  void addQuoted(const char *string) {
    addChar('"');
    for (; *string; ++string) {
      unsigned char c = static_cast<unsigned char>(*string);
      if (c < 0x20)
        add("\\u%04x", c);
      else if (c == '"' || c == '\\')
        add("\\%c", c);
      else
        addChar(*string);
    }
    addChar('"');
  }

  void addChar(char c) { failed |= !chars.append(c); }

  bool failed = false;
  Array<char> chars;
};

/// Kinds of symbols, as bits: what training needs to go on, and what another program needs to predict.
constexpr uint32_t weightKinds = 1u << DLC_PARAMETER | 1u << DLC_BUFFER;
constexpr uint32_t allKinds = ~(1u << DLC_GRADIENT | 1u << DLC_CONSTANT);

/// Calls `visit` for all symbols of these kinds, those with the largest values first: then each tensor begins
/// at a multiple of its value's size, whatever the shapes are.
template <typename Visit> dlc_status forEach(const dlc_model &model, uint32_t kinds, Visit visit) {
  for (size_t size = 8; size > 0; size /= 2)
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      if (kinds >> model.symbols[i].kind & 1 && dtypeBytes(model.symbols[i].dtype) == size)
        if (dlc_status status = visit(model.symbols[i]))
          return status;
  return DLC_OK;
}

dlc_status writeHeader(const dlc_model &model, uint32_t kinds, AtomicFile &file, Error &error) {
  Text header;
  header.add("{\"__metadata__\":{\"dlc.format\":\"%" PRId64 "\",\"dlc.model\":", checkpointFormat);
  header.addQuoted(model.name);
  header.addChar('}');
  uint64_t offset = 0;
  forEach(model, kinds, [&](const dlc_symbol &symbol) {
    header.addChar(',');
    header.addQuoted(symbol.name);
    header.add(":{\"dtype\":\"%s\",\"shape\":[", dtypeName(symbol.dtype));
    for (uint32_t i = 0; i < symbol.rank; ++i)
      header.add("%s%" PRId64, i ? "," : "", symbol.shape[i]);
    uint64_t end = offset + logicalBytes(symbol);
    header.add("],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", offset, end);
    offset = end;
    return DLC_OK;
  });
  header.addChar('}');
  while (header.chars.size() % 8 != 0 && !header.failed) // the tensors begin aligned, after 8 + length
    header.addChar(' ');
  if (header.failed)
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the header of a file", model.name);
  const uint64_t length = header.chars.size();
  if (length > maxHeaderBytes)
    return error.fail(DLC_UNAVAILABLE, "%s: too many tensors for a safetensors file", model.name);
  if (dlc_status status = file.write(&length, sizeof length, error))
    return status;
  return file.write(header.chars.data(), header.chars.size(), error);
}

dlc_status writeTensors(const dlc_instance &instance, uint32_t kinds, AtomicFile &file, Error &error) {
  size_t largest = 0; // of those that have to be put into logical order first
  forEach(*instance.model, kinds, [&](const dlc_symbol &symbol) {
    size_t bytes = logicalBytes(symbol);
    if (!instance.view(symbol) && bytes > largest)
      largest = bytes;
    return DLC_OK;
  });
  Array<unsigned char> logical;
  if (!logical.allocate(largest))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to save it", instance.model->name);
  return forEach(*instance.model, kinds, [&](const dlc_symbol &symbol) {
    const void *values = instance.view(symbol);
    if (!values) {
      instance.fetch(symbol, logical.data());
      if (dlc_status status = instance.deviceStatus(error))
        return status;
      values = logical.data();
    }
    return file.write(values, logicalBytes(symbol), error);
  });
}

dlc_status save(dlc_instance *instance, const char *path, uint32_t kinds) {
  Error &error = instance->error;
  if (!path || !*path)
    return error.fail(DLC_INVALID_ARGUMENT, "%s: no path to save to", instance->model->name);
  AtomicFile file;
  if (dlc_status status = file.open(path, error))
    return status;
  if (dlc_status status = writeHeader(*instance->model, kinds, file, error))
    return status;
  if (dlc_status status = writeTensors(*instance, kinds, file, error))
    return status;
  return file.commit(error);
}

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status dlc_instance_save(dlc_instance *instance, const char *path) {
  dlc::runtime::Call call(instance);
  if (call.refused())
    return call.status();
  if (dlc_status status = dlc::runtime::refuseAverage(*instance))
    return status;
  return dlc::runtime::save(instance, path, dlc::runtime::allKinds);
}

extern "C" dlc_status dlc_instance_save_weights(dlc_instance *instance, const char *path) {
  dlc::runtime::Call call(instance);
  if (call.refused())
    return call.status();
  return dlc::runtime::save(instance, path, dlc::runtime::weightKinds);
}
