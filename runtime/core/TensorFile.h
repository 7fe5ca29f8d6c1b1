//===- TensorFile.h -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A safetensors file that is read tensor by tensor.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_TENSORFILE_H
#define DLC_RUNTIME_CORE_TENSORFILE_H

#include "runtime/core/File.h"
#include "runtime/core/SafetensorsHeader.h"

namespace dlc::runtime {

class TensorFile {
public:
  /// Reads and checks the header. `path` must live as long as the file.
  dlc_status open(const char *path, Error &error);
  /// The same of the bytes of a file in the caller's memory; `name` stands for its path in messages.
  dlc_status openMemory(const char *name, const void *data, size_t bytes, Error &error) {
    file.openMemory(name, data, bytes);
    return readHeader(name, error);
  }
  /// All bytes of a tensor of the table.
  dlc_status read(const Tensor &tensor, void *values, Error &error) const {
    return file.readAt(dataBegin + tensor.begin, values, tensor.end - tensor.begin, error);
  }

  TensorTable table;

private:
  dlc_status readHeader(const char *path, Error &error);

  InputFile file;
  uint64_t dataBegin = 0;
};

} // namespace dlc::runtime

#endif
