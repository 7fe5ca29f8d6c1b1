//===- Idx.cpp ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads IDX files: two zero bytes, a type, a rank, `rank` big-endian sizes, then the values, big-endian.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/data/ByteSource.h"
#include "runtime/data/Convert.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>

namespace dlc::runtime {

namespace {

enum class IdxType : uint8_t { U8 = 0x08, I8 = 0x09, I16 = 0x0b, I32 = 0x0c, F32 = 0x0d, F64 = 0x0e };

size_t valueBytes(uint8_t type) {
  switch (static_cast<IdxType>(type)) {
  case IdxType::U8:
  case IdxType::I8:
    return 1;
  case IdxType::I16:
    return 2;
  case IdxType::I32:
  case IdxType::F32:
    return 4;
  case IdxType::F64:
    return 8;
  }
  return 0;
}

template <typename From>
void convert(const unsigned char *bytes, size_t count, size_t index, const dlc_scaling *scaling,
             dlc_array &out) {
  convertValues<From>(bytes, count, index, ByteOrder::Big, scaling, out);
}

class IdxReader {
public:
  IdxReader(const char *path, const dlc_scaling *scaling, dlc_array &out, Error &error)
      : path(path), scaling(scaling), out(out), error(error) {}

  dlc_status read() {
    if (dlc_status status = checkScaling(path, scaling, error))
      return status;
    if (dlc_status status = source.open(path, error))
      return status;
    if (dlc_status status = readHeader())
      return status;
    if (dlc_status status = allocate())
      return status;
    if (dlc_status status = readValues())
      return status;
    return source.expectEnd(error);
  }

private:
  dlc_status readHeader() {
    unsigned char head[4 + 4 * maxRank];
    if (source.mostBytes() < 4)
      return error.fail(DLC_BAD_FILE, "%s: too short for an IDX file", path);
    if (dlc_status status = source.read(head, 4, error))
      return status;
    type = head[2];
    if (head[0] != 0 || head[1] != 0 || valueBytes(type) == 0)
      return error.fail(DLC_BAD_FILE, "%s: not an IDX file: it begins with %02x %02x %02x %02x", path,
                        head[0], head[1], head[2], head[3]);
    rank = head[3];
    if (rank < 1 || rank > maxRank)
      return error.fail(DLC_BAD_FILE, "%s: has %u dimensions, expected 1 to %u", path, rank, maxRank);
    if (dlc_status status = source.read(head + 4, size_t{4} * rank, error))
      return status;
    for (uint32_t i = 0; i < rank; ++i) {
      shape[i] = valueAt<uint32_t>(head + 4 + size_t{4} * i, ByteOrder::Big);
      if (shape[i] == 0)
        return error.fail(DLC_BAD_FILE, "%s: dimension %u is 0", path, i);
    }
    return DLC_OK;
  }

  /// Only after the file's own length has shown that the header's claim is possible.
  dlc_status allocate() {
    ShapeText shapeText(rank, shape);
    int64_t inFile = 0;
    bool fits = elementCount(rank, shape, count) &&
                !__builtin_mul_overflow(count, static_cast<int64_t>(valueBytes(type)), &inFile);
    uint64_t header = 4 + 4 * uint64_t{rank}, available = source.mostBytes();
    if (!fits || available < header || static_cast<uint64_t>(inFile) > available - header)
      return error.fail(
          DLC_BAD_FILE,
          "%s: truncated or damaged: its header says %s, a file of this size holds at most %" PRIu64 " bytes",
          path, shapeText.text, available);
    out.dtype = scaling                                      ? DLC_F32
                : type == static_cast<uint8_t>(IdxType::F32) ? DLC_F32
                : type == static_cast<uint8_t>(IdxType::F64) ? DLC_F64
                                                             : DLC_I64;
    out.rank = static_cast<int32_t>(rank);
    memcpy(out.shape, shape, rank * sizeof shape[0]);
    if (__builtin_mul_overflow(static_cast<size_t>(count), dtypeBytes(static_cast<uint32_t>(out.dtype)),
                               &out.bytes) ||
        !(out.data = malloc(out.bytes)))
      return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for %s values", path, shapeText.text);
    return DLC_OK;
  }

  dlc_status readValues() {
    const size_t size = valueBytes(type);
    Array<unsigned char> window;
    constexpr size_t windowBytes = 65536;
    if (!window.allocate(windowBytes))
      return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to read it", path);
    for (size_t index = 0, total = static_cast<size_t>(count); index < total;) {
      size_t now = total - index < windowBytes / size ? total - index : windowBytes / size;
      if (dlc_status status = source.read(window.data(), now * size, error))
        return status;
      convertWindow(window.data(), now, index);
      index += now;
    }
    return DLC_OK;
  }

  void convertWindow(const unsigned char *bytes, size_t now, size_t index) {
    switch (static_cast<IdxType>(type)) {
    case IdxType::U8:
      return scaling ? lookUp(bytes, now, index) : convert<uint8_t>(bytes, now, index, scaling, out);
    case IdxType::I8:
      return convert<int8_t>(bytes, now, index, scaling, out);
    case IdxType::I16:
      return convert<int16_t>(bytes, now, index, scaling, out);
    case IdxType::I32:
      return convert<int32_t>(bytes, now, index, scaling, out);
    case IdxType::F32:
      return convert<float>(bytes, now, index, scaling, out);
    case IdxType::F64:
      return convert<double>(bytes, now, index, scaling, out);
    }
  }

  /// Images are bytes: of their 256 values each is scaled once.
  void lookUp(const unsigned char *bytes, size_t now, size_t index) {
    if (index == 0)
      for (int value = 0; value < 256; ++value)
        pixels[value] = scaled(*scaling, value);
    float *values = static_cast<float *>(out.data) + index;
    for (size_t i = 0; i < now; ++i)
      values[i] = pixels[bytes[i]];
  }

  const char *path;
  const dlc_scaling *scaling;
  dlc_array &out;
  Error &error;
  ByteSource source;
  float pixels[256] = {};
  uint8_t type = 0;
  uint32_t rank = 0;
  int64_t shape[maxRank] = {};
  int64_t count = 0;
};

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status dlc_read_idx(const char *path, const dlc_scaling *scaling, dlc_array *out, char *error,
                                   size_t error_bytes) {
  if (error && error_bytes)
    error[0] = 0;
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = dlc_array{};
  dlc::runtime::Error sentence;
  dlc_status status = path ? dlc::runtime::IdxReader(path, scaling, *out, sentence).read()
                           : sentence.fail(DLC_INVALID_ARGUMENT, "the path of the IDX file is NULL");
  if (status != DLC_OK) {
    dlc_array_free(out);
    sentence.copyTo(error, error_bytes);
  }
  return status;
}
