//===- NpyHeader.h --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands before the values of an NPY file (numpy.lib.format): eight bytes of magic and version, the
// length of a text, and the text, a Python dictionary with dtype, order and shape.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_NPYHEADER_H
#define DLC_RUNTIME_DATA_NPYHEADER_H

#include "runtime/core/DType.h"
#include "runtime/core/File.h"
#include "runtime/data/Convert.h"

namespace dlc::runtime {

struct NpyHeader {
  char kind;     ///< as in NumPy's type strings: 'f', 'i', 'u' or 'b'
  uint32_t size; ///< bytes of a value
  ByteOrder order;
  uint32_t rank; ///< at least 1
  int64_t shape[maxRank];
  int64_t count;  ///< values
  uint64_t begin; ///< of the values in the file
};

/// Reads it, and checks that the file holds just the values that it says.
dlc_status readNpyHeader(const char *path, const InputFile &file, NpyHeader &header, Error &error);

/// What its values become: F32 with `scaling`, else the smallest dtype of ours that has all of them.
int32_t npyDtype(const NpyHeader &header, const dlc_scaling *scaling);

/// The convertValues of its type.
using NpyConvert = void (*)(const unsigned char *bytes, size_t count, size_t index, ByteOrder order,
                            const dlc_scaling *scaling, dlc_array &out);
NpyConvert npyConverter(const NpyHeader &header);

} // namespace dlc::runtime

#endif
