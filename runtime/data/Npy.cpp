//===- Npy.cpp ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the arrays that numpy.save writes.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "runtime/data/Answer.h"
#include "runtime/data/ArrayHeader.h"

namespace dlc::runtime {

dlc_status readNpyValues(const char *path, ByteSource &source, const dlc_scaling *scaling, bool isKept,
                         dlc_array &out, Error &error) {
  ArrayHeader header = {};
  if (dlc_status status = readNpyHeader(path, source, header, error))
    return status;
  if (dlc_status status = isKept ? keepBytes(path, header, error) : DLC_OK)
    return status;
  if (dlc_status status = allocate(path, header, scaling, out, error))
    return status;
  constexpr size_t windowBytes = 65536;
  Array<unsigned char> window;
  if (!window.allocate(windowBytes))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to read it", path);
  const Convert convert = converterOf(header);
  const size_t total = static_cast<size_t>(header.count), atOnce = windowBytes / header.size;
  for (size_t index = 0; index < total; index += atOnce) {
    const size_t now = total - index < atOnce ? total - index : atOnce;
    if (dlc_status status = source.read(window.data(), now * header.size, error))
      return status;
    convert(window.data(), now, index, header.order, scaling, out);
  }
  return source.expectEnd(error);
}

dlc_status readNpy(const char *path, const dlc_scaling *scaling, bool isKept, dlc_array &out, Error &error) {
  if (dlc_status status = checkScaling(path, scaling, error))
    return status;
  ByteSource source;
  if (dlc_status status = source.openPlain(path, error))
    return status;
  return readNpyValues(path, source, scaling, isKept, out, error);
}

} // namespace dlc::runtime

extern "C" dlc_status dlc_read_npy(const char *path, const dlc_scaling *scaling, dlc_array *out, char *error,
                                   size_t error_bytes) {
  return dlc::runtime::answerArray(
      out, error, error_bytes, [&](dlc_array &array, dlc::runtime::Error &sentence) {
        return path ? dlc::runtime::readNpy(path, scaling, /*isKept=*/false, array, sentence)
                    : sentence.fail(DLC_INVALID_ARGUMENT, "the path of the NPY file is NULL");
      });
}
