//===- ArrayHeader.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of the values of a file.
//===----------------------------------------------------------------------===//
#include "runtime/data/ArrayHeader.h"

namespace dlc::runtime {

dlc_status keepBytes(const char *path, ArrayHeader &header, Error &error) {
  header.isKept = header.kind == 'u' && header.size == 1;
  return header.isKept
             ? DLC_OK
             : error.fail(DLC_BAD_FILE, "%s: its values are of type '%c%u', expected bytes ('u1', uint8)",
                          path, header.kind, header.size);
}

int32_t dtypeOf(const ArrayHeader &header, const dlc_scaling *scaling) {
  if (header.isKept)
    return DLC_U8;
  if (scaling)
    return DLC_F32;
  if (header.kind == 'f')
    return header.size == 8 ? DLC_F64 : DLC_F32;
  if (header.isIdx)
    return DLC_I64;
  return header.size == 8 || (header.kind == 'u' && header.size == 4) ? DLC_I64 : DLC_I32;
}

dlc_status allocate(const char *path, const ArrayHeader &header, const dlc_scaling *scaling, dlc_array &out,
                    Error &error) {
  out.dtype = dtypeOf(header, scaling);
  out.rank = static_cast<int32_t>(header.rank);
  memcpy(out.shape, header.shape, header.rank * sizeof header.shape[0]);
  if (__builtin_mul_overflow(static_cast<size_t>(header.count), dtypeBytes(static_cast<uint32_t>(out.dtype)),
                             &out.bytes) ||
      !(out.data = malloc(out.bytes)))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for %s values", path,
                      ShapeText(header.rank, header.shape).text);
  return DLC_OK;
}

static void copyBytes(const unsigned char *bytes, size_t count, size_t index, ByteOrder, const dlc_scaling *,
                      dlc_array &out) {
  memcpy(static_cast<unsigned char *>(out.data) + index, bytes, count);
}

Convert converterOf(const ArrayHeader &header) {
  if (header.isKept)
    return copyBytes;
  const bool isSigned = header.kind == 'i';
  switch (header.size) {
  case 1:
    return isSigned ? convertValues<int8_t> : convertValues<uint8_t>;
  case 2:
    return header.kind == 'f' ? convertValues<Half>
           : isSigned         ? convertValues<int16_t>
                              : convertValues<uint16_t>;
  case 4:
    return header.kind == 'f' ? convertValues<float>
           : isSigned         ? convertValues<int32_t>
                              : convertValues<uint32_t>;
  default:
    return header.kind == 'f' ? convertValues<double> : convertValues<int64_t>;
  }
}

} // namespace dlc::runtime
