//===- TensorBytes.cpp - the elements of a tensor that a file has ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/TensorBytes.h"
#include "llvm/Support/MemAlloc.h"
#include <cstring>

namespace dlc::frontend {

TensorBytes TensorBytes::allocate(size_t size) {
  TensorBytes result;
  if (size == 0)
    return result;
  void *memory = llvm::allocate_buffer(size, alignment);
  result.owner = std::shared_ptr<const void>(
      memory, [size](const void *own) { llvm::deallocate_buffer(const_cast<void *>(own), size, alignment); });
  result.bytes = {static_cast<const char *>(memory), size};
  return result;
}

TensorBytes TensorBytes::copy(llvm::ArrayRef<char> bytes) {
  TensorBytes result = allocate(bytes.size());
  if (!bytes.empty())
    std::memcpy(result.mutableData(), bytes.data(), bytes.size());
  return result;
}

} // namespace dlc::frontend
