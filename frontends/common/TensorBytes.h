//===- TensorBytes.h - the elements of a tensor that a file has ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of a large model are gigabytes, and a compiler only hands them on, from file to file. So copies
// of a TensorBytes share its bytes, and these may be a part of a file: then they are in memory while somebody
// reads them, and no longer (compiler/support/MappedFile.h).
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_TENSORBYTES_H
#define DLC_FRONTENDS_COMMON_TENSORBYTES_H

#include "compiler/support/MappedFile.h"
#include <memory>

namespace dlc::frontend {

class TensorBytes {
public:
  static constexpr size_t alignment = 64; ///< of bytes that are not a file's

  TensorBytes() = default;
  /// Bytes that are still to be written.
  static TensorBytes allocate(size_t size);
  static TensorBytes copy(llvm::ArrayRef<char> bytes);
  /// A part of a file, which stays mapped as long as somebody has its bytes.
  TensorBytes(std::shared_ptr<const MappedFile> file, llvm::StringRef part)
      : owner(std::move(file)), bytes(part.data(), part.size()), isOfFile(true) {}

  operator llvm::ArrayRef<char>() const { return bytes; }
  const char *data() const { return bytes.data(); }
  const char *begin() const { return bytes.begin(); }
  const char *end() const { return bytes.end(); }
  size_t size() const { return bytes.size(); }
  const char &operator[](size_t i) const { return bytes[i]; }
  bool operator==(const TensorBytes &other) const { return bytes == other.bytes; }

  bool isPartOfFile() const { return isOfFile; }
  /// For those who have just allocated them.
  char *mutableData() { return const_cast<char *>(bytes.data()); }

private:
  std::shared_ptr<const void> owner;
  llvm::ArrayRef<char> bytes;
  bool isOfFile = false;
};

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_TENSORBYTES_H
