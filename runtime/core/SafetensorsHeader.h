//===- SafetensorsHeader.h ------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of tensors at the start of a safetensors file (https://huggingface.co/docs/safetensors):
// 8 bytes little-endian length, that many bytes of JSON, then the tensors' bytes without holes.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_SAFETENSORSHEADER_H
#define DLC_RUNTIME_CORE_SAFETENSORSHEADER_H

#include "runtime/core/DType.h"
#include "runtime/core/Error.h"
#include "runtime/core/Extras.h"
#include "runtime/core/Memory.h"

namespace dlc::runtime {

/// What the format itself allows; more is no header but an attack or garbage.
constexpr uint64_t maxHeaderBytes = 100000000;

/// Version of what dlc_instance_save writes, in the metadata under "dlc.format".
constexpr int64_t checkpointFormat = 1;

struct Tensor {
  const char *name;
  const char *dtypeText;
  uint32_t dtype; ///< dlc_dtype, or 0 for a dtype that dlc does not have
  uint32_t rank;
  int64_t shape[maxRank];
  uint64_t begin, end; ///< in the bytes after the header
};

struct TensorTable {
  Array<char> text;            ///< the header; names point into it
  Array<Tensor> tensors;       ///< by name
  Extras extras;               ///< entries of the caller's that wrote the file
  const char *model = nullptr; ///< name of the model that wrote the file, if it says

  const Tensor *find(const char *name) const;
};

/// Parses the header in `table.text`; `dataBytes` follow it in the file. Everything that the format
/// promises is checked: unique names, sizes that fit dtypes and shapes, no holes, no overlap.
dlc_status parseHeader(const char *path, uint64_t dataBytes, TensorTable &table, Error &error);

} // namespace dlc::runtime

#endif
