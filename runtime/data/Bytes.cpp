//===- Bytes.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads bytes that stay bytes, of IDX and NPY files.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "runtime/data/Answer.h"
#include "runtime/data/ArrayHeader.h"

namespace dlc::runtime {

namespace {

/// The first byte says which of the formats the file has.
dlc_status readBytes(const char *path, dlc_array &out, Error &error) {
  if (!path)
    return error.fail(DLC_INVALID_ARGUMENT, "the path of the file of bytes is NULL");
  InputFile file;
  unsigned char first = 0;
  if (dlc_status status = file.open(path, error))
    return status;
  if (dlc_status status = file.size() ? file.readAt(0, &first, 1, error) : DLC_OK)
    return status;
  return first == 0x93 ? readNpy(path, nullptr, /*isKept=*/true, out, error)
                       : readIdx(path, nullptr, /*isKept=*/true, out, error);
}

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status dlc_read_bytes(const char *path, dlc_array *out, char *error, size_t error_bytes) {
  return dlc::runtime::answerArray(out, error, error_bytes,
                                   [&](dlc_array &array, dlc::runtime::Error &sentence) {
                                     return dlc::runtime::readBytes(path, array, sentence);
                                   });
}
