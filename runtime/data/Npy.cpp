//===- Npy.cpp ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the arrays that numpy.save writes.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "runtime/data/NpyHeader.h"

namespace dlc::runtime {

namespace {

dlc_status readNpy(const char *path, const dlc_scaling *scaling, dlc_array &out, Error &error) {
  if (dlc_status status = checkScaling(path, scaling, error))
    return status;
  InputFile file;
  NpyHeader header = {};
  if (dlc_status status = file.open(path, error))
    return status;
  if (dlc_status status = readNpyHeader(path, file, header, error))
    return status;
  out.dtype = npyDtype(header, scaling);
  out.rank = static_cast<int32_t>(header.rank);
  memcpy(out.shape, header.shape, header.rank * sizeof header.shape[0]);
  constexpr size_t windowBytes = 65536;
  Array<unsigned char> window;
  if (__builtin_mul_overflow(static_cast<size_t>(header.count), dtypeBytes(static_cast<uint32_t>(out.dtype)),
                             &out.bytes) ||
      !(out.data = malloc(out.bytes)) || !window.allocate(windowBytes))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for %s values", path,
                      ShapeText(header.rank, header.shape).text);
  const NpyConvert convert = npyConverter(header);
  const size_t total = static_cast<size_t>(header.count), atOnce = windowBytes / header.size;
  for (size_t index = 0; index < total; index += atOnce) {
    const size_t now = total - index < atOnce ? total - index : atOnce;
    if (dlc_status status = file.readAt(header.begin + uint64_t{index} * header.size, window.data(),
                                        now * header.size, error))
      return status;
    convert(window.data(), now, index, header.order, scaling, out);
  }
  return DLC_OK;
}

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status dlc_read_npy(const char *path, const dlc_scaling *scaling, dlc_array *out, char *error,
                                   size_t error_bytes) {
  if (error && error_bytes)
    error[0] = 0;
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = dlc_array{};
  dlc::runtime::Error sentence;
  dlc_status status = path ? dlc::runtime::readNpy(path, scaling, *out, sentence)
                           : sentence.fail(DLC_INVALID_ARGUMENT, "the path of the NPY file is NULL");
  if (status != DLC_OK) {
    dlc_array_free(out);
    sentence.copyTo(error, error_bytes);
  }
  return status;
}
