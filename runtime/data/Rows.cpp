//===- Rows.cpp -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of NPY and IDX files, each read when it is asked for.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "runtime/data/Answer.h"
#include "runtime/data/ArrayHeader.h"

#include <cinttypes>

using dlc::runtime::Error;

struct dlc_rows {
  ~dlc_rows() { free(path); }

  char *path = nullptr; ///< which the file refers to
  dlc::runtime::InputFile file;
  dlc::runtime::ArrayHeader header = {};
  dlc_scaling scaling = {};
  bool isScaled = false;
};

namespace {

const dlc_scaling *scalingOf(const dlc_rows &rows) { return rows.isScaled ? &rows.scaling : nullptr; }

/// The first bytes say which of the formats the file has.
dlc_status readHeader(dlc_rows &rows, Error &error) {
  unsigned char head[4] = {};
  if (rows.file.size() < sizeof head)
    return error.fail(DLC_BAD_FILE, "%s: too short for a file of NPY or IDX", rows.path);
  if (dlc_status status = rows.file.readAt(0, head, sizeof head, error))
    return status;
  if (head[0] == 0x1f && head[1] == 0x8b)
    return error.fail(
        DLC_BAD_FILE,
        "%s: compressed with gzip, so that no row can be read by itself: decompress it (gunzip)", rows.path);
  dlc::runtime::ByteSource source;
  if (head[0] == 0x93) {
    if (dlc_status status = source.openPlain(rows.path, error))
      return status;
    return dlc::runtime::readNpyHeader(rows.path, source, rows.header, error);
  }
  if (head[0] || head[1])
    return error.fail(DLC_BAD_FILE,
                      "%s: neither a file of NPY nor of IDX: it begins with %02x %02x %02x %02x", rows.path,
                      head[0], head[1], head[2], head[3]);
  if (dlc_status status = source.open(rows.path, error))
    return status;
  if (dlc_status status = dlc::runtime::readIdxHeader(rows.path, source, rows.header, error))
    return status;
  const uint64_t bytes = static_cast<uint64_t>(rows.header.count) * rows.header.size;
  return rows.file.size() - rows.header.begin == bytes
             ? DLC_OK
             : error.fail(DLC_BAD_FILE, "%s: %" PRIu64 " bytes follow its values", rows.path,
                          rows.file.size() - rows.header.begin - bytes);
}

dlc_status openRows(const char *path, const dlc_scaling *scaling, bool isKept, dlc_rows &rows, Error &error) {
  if (!path)
    return error.fail(DLC_INVALID_ARGUMENT, "the path of the file of rows is NULL");
  if (dlc_status status = dlc::runtime::checkScaling(path, scaling, error))
    return status;
  rows.isScaled = scaling != nullptr;
  if (scaling)
    rows.scaling = *scaling;
  rows.path = static_cast<char *>(malloc(strlen(path) + 1));
  if (!rows.path)
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to read it", path);
  memcpy(rows.path, path, strlen(path) + 1);
  if (dlc_status status = rows.file.open(rows.path, error))
    return status;
  if (dlc_status status = readHeader(rows, error))
    return status;
  return isKept ? dlc::runtime::keepBytes(rows.path, rows.header, error) : DLC_OK;
}

dlc_status readRow(const dlc_rows &rows, int64_t row, void *to, Error &error) {
  const dlc::runtime::ArrayHeader &header = rows.header;
  if (row < 0 || row >= header.shape[0] || !to)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "%s: row %" PRId64 ", expected 0 to %" PRId64 ", and memory for it", rows.path, row,
                      header.shape[0] - 1);
  unsigned char window[16384];
  dlc_array out = {};
  out.dtype = dlc::runtime::dtypeOf(header, scalingOf(rows));
  out.data = to;
  const auto count = static_cast<size_t>(header.count / header.shape[0]);
  const size_t atOnce = sizeof window / header.size;
  const uint64_t begin = header.begin + static_cast<uint64_t>(row) * count * header.size;
  for (size_t index = 0; index < count; index += atOnce) {
    const size_t now = count - index < atOnce ? count - index : atOnce;
    if (dlc_status status =
            rows.file.readAt(begin + uint64_t{index} * header.size, window, now * header.size, error))
      return status;
    dlc::runtime::converterOf(header)(window, now, index, header.order, scalingOf(rows), out);
  }
  return DLC_OK;
}

} // namespace

extern "C" {

dlc_status dlc_rows_open(const char *path, const dlc_scaling *scaling, dlc_rows **out, char *error,
                         size_t error_bytes) {
  return dlc::runtime::answerObject(out, error, error_bytes, "a file of rows", dlc_rows_close,
                                    [&](dlc_rows &rows, Error &sentence) {
                                      return openRows(path, scaling, /*isKept=*/false, rows, sentence);
                                    });
}

dlc_status dlc_rows_open_bytes(const char *path, dlc_rows **out, char *error, size_t error_bytes) {
  return dlc::runtime::answerObject(out, error, error_bytes, "a file of rows", dlc_rows_close,
                                    [&](dlc_rows &rows, Error &sentence) {
                                      return openRows(path, nullptr, /*isKept=*/true, rows, sentence);
                                    });
}

int64_t dlc_rows_count(const dlc_rows *rows) { return rows ? rows->header.shape[0] : 0; }

dlc_field dlc_rows_field(const dlc_rows *rows) {
  dlc_field field = {};
  if (!rows)
    return field;
  field.dtype = dlc::runtime::dtypeOf(rows->header, scalingOf(*rows));
  field.rank = static_cast<int32_t>(rows->header.rank) - 1;
  memcpy(field.shape, rows->header.shape + 1, static_cast<size_t>(field.rank) * sizeof field.shape[0]);
  return field;
}

dlc_status dlc_rows_read(const dlc_rows *rows, int64_t row, void *to, char *error, size_t error_bytes) {
  if (error && error_bytes)
    error[0] = 0;
  if (!rows)
    return DLC_INVALID_ARGUMENT;
  Error sentence;
  const dlc_status status = readRow(*rows, row, to, sentence);
  if (status != DLC_OK)
    sentence.copyTo(error, error_bytes);
  return status;
}

void dlc_rows_close(dlc_rows *rows) { dlc::runtime::destroyObjects(rows, 1); }

} // extern "C"
