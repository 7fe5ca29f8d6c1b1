//===- Idx.cpp ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads IDX files, whose values are big-endian.
//===----------------------------------------------------------------------===//
#include "runtime/data/Answer.h"
#include "runtime/data/ArrayHeader.h"

namespace dlc::runtime {

namespace {

/// Images are bytes: of their 256 values each is scaled once.
struct Pixels {
  explicit Pixels(const dlc_scaling &scaling) {
    for (int byte = 0; byte < 256; ++byte)
      values[byte] = scaled(scaling, byte);
  }
  void convert(const unsigned char *bytes, size_t count, float *to) const {
    for (size_t i = 0; i < count; ++i)
      to[i] = values[bytes[i]];
  }
  float values[256];
};

dlc_status readValues(const char *path, ByteSource &source, const ArrayHeader &header,
                      const dlc_scaling *scaling, dlc_array &out, Error &error) {
  Array<unsigned char> window;
  constexpr size_t windowBytes = 65536;
  if (!window.allocate(windowBytes))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to read it", path);
  const Pixels pixels(scaling ? *scaling : dlc_scaling{1, 0, 1});
  const bool isImage = scaling && header.kind == 'u';
  const size_t total = static_cast<size_t>(header.count), atOnce = windowBytes / header.size;
  for (size_t index = 0; index < total; index += atOnce) {
    const size_t now = total - index < atOnce ? total - index : atOnce;
    if (dlc_status status = source.read(window.data(), now * header.size, error))
      return status;
    if (isImage)
      pixels.convert(window.data(), now, static_cast<float *>(out.data) + index);
    else
      converterOf(header)(window.data(), now, index, header.order, scaling, out);
  }
  return DLC_OK;
}

} // namespace

dlc_status readIdx(const char *path, const dlc_scaling *scaling, bool isKept, dlc_array &out, Error &error) {
  if (dlc_status status = checkScaling(path, scaling, error))
    return status;
  ByteSource source;
  ArrayHeader header;
  if (dlc_status status = source.open(path, error))
    return status;
  if (dlc_status status = readIdxHeader(path, source, header, error))
    return status;
  if (dlc_status status = isKept ? keepBytes(path, header, error) : DLC_OK)
    return status;
  if (dlc_status status = allocate(path, header, scaling, out, error))
    return status;
  if (dlc_status status = readValues(path, source, header, scaling, out, error))
    return status;
  return source.expectEnd(error);
}

} // namespace dlc::runtime

extern "C" dlc_status dlc_read_idx(const char *path, const dlc_scaling *scaling, dlc_array *out, char *error,
                                   size_t error_bytes) {
  return dlc::runtime::answerArray(
      out, error, error_bytes, [&](dlc_array &array, dlc::runtime::Error &sentence) {
        return path ? dlc::runtime::readIdx(path, scaling, /*isKept=*/false, array, sentence)
                    : sentence.fail(DLC_INVALID_ARGUMENT, "the path of the IDX file is NULL");
      });
}
