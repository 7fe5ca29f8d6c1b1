//===- ArrayHeader.h ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file of NPY or IDX says before its values: their type, order and shape.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_ARRAYHEADER_H
#define DLC_RUNTIME_DATA_ARRAYHEADER_H

#include "runtime/core/DType.h"
#include "runtime/data/ByteSource.h"
#include "runtime/data/Convert.h"

namespace dlc::runtime {

struct ArrayHeader {
  char kind;     ///< as in NumPy's type strings: 'f', 'i', 'u' or 'b'
  uint32_t size; ///< bytes of a value
  ByteOrder order;
  uint32_t rank; ///< at least 1
  int64_t shape[maxRank];
  int64_t count;  ///< values
  uint64_t begin; ///< of the values in the file
  bool isIdx;     ///< whose integers become I64, as labels are
  bool isKept;    ///< bytes stay bytes, of U8
};

/// Reads that of an NPY file, which is not compressed or a member of an archive, and checks that it holds
/// just the values that it says.
dlc_status readNpyHeader(const char *path, ByteSource &source, ArrayHeader &header, Error &error);
/// Reads all of what such a file has, or refuses what are no bytes that could be kept.
dlc_status readNpyValues(const char *path, ByteSource &source, const dlc_scaling *scaling, bool isKept,
                         dlc_array &out, Error &error);
/// The same of a file.
dlc_status readNpy(const char *path, const dlc_scaling *scaling, bool isKept, dlc_array &out, Error &error);

/// Reads that of an IDX file, and checks that the file, which may be compressed, can hold so many values.
dlc_status readIdxHeader(const char *path, ByteSource &source, ArrayHeader &header, Error &error);
/// All of such a file.
dlc_status readIdx(const char *path, const dlc_scaling *scaling, bool isKept, dlc_array &out, Error &error);

/// Sets isKept, where the values are bytes.
dlc_status keepBytes(const char *path, ArrayHeader &header, Error &error);

/// What the values become: U8 where they are kept; F32 with `scaling`, and where they are of half precision;
/// else the smallest dtype of ours that has all of them.
int32_t dtypeOf(const ArrayHeader &header, const dlc_scaling *scaling);

/// Sets dtype and shape of the array and takes memory for its values.
dlc_status allocate(const char *path, const ArrayHeader &header, const dlc_scaling *scaling, dlc_array &out,
                    Error &error);

/// The convertValues of its type.
using Convert = void (*)(const unsigned char *bytes, size_t count, size_t index, ByteOrder order,
                         const dlc_scaling *scaling, dlc_array &out);
Convert converterOf(const ArrayHeader &header);

} // namespace dlc::runtime

#endif
