//===- SafetensorsWriter.h ------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of a safetensors file that is written, tensor by tensor.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_SAFETENSORSWRITER_H
#define DLC_RUNTIME_CORE_SAFETENSORSWRITER_H

#include "runtime/core/Extras.h"
#include "runtime/core/File.h"

namespace dlc::runtime {

class SafetensorsWriter {
public:
  /// `model` is what the file says of its writer; `extras` may be NULL.
  explicit SafetensorsWriter(const char *model, const Extras *extras = nullptr);

  /// The next tensor. Its bytes come after the header, in the same order: those with the largest values
  /// first, so that each begins at a multiple of its value's size.
  void add(const char *name, uint32_t dtype, uint32_t rank, const int64_t *shape, uint64_t bytes);

  /// After the last tensor: whether there was memory for the header, and the format has room for it.
  dlc_status finish(Error &error);
  /// Bytes of the whole file, after `finish`.
  size_t fileBytes() const { return sizeof(uint64_t) + text.size() + static_cast<size_t>(end); }
  /// Writes the header, which `finish` has completed; the tensors' bytes follow.
  template <typename Output> dlc_status write(Output &output, Error &error) const {
    const uint64_t length = text.size();
    if (dlc_status status = output.write(&length, sizeof length, error))
      return status;
    return output.write(text.data(), text.size(), error);
  }

private:
  void print(const char *format, ...) __attribute__((format(printf, 2, 3)));
  void quote(const char *string);
  void put(char c) { failed |= !text.append(c); }

  const char *model;
  Array<char> text;
  uint64_t end = 0;    ///< of the last tensor
  bool failed = false; ///< there was no memory for the text
};

} // namespace dlc::runtime

#endif
