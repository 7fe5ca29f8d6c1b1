//===- Digest.cpp - which files belong together ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Digest.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace dlc::emit {

static ArrayRef<uint8_t> bytesOf(StringRef text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

std::string digestOf(StringRef content) { return toHex(SHA256::hash(bytesOf(content)), /*LowerCase=*/true); }

Expected<std::string> digestOfFile(StringRef path) {
  sys::fs::file_status status; // a pipe would keep the process waiting
  if (!sys::fs::status(path, status) && !sys::fs::is_regular_file(status))
    return createStringError("not a regular file");
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(), buffer.getError().message());
  return digestOf((*buffer)->getBuffer());
}

std::string DigestStream::digest() {
  flush();
  return toHex(state.result(), /*LowerCase=*/true);
}

void DigestStream::write_impl(const char *data, size_t bytes) {
  state.update(bytesOf({data, bytes}));
  out.write(data, bytes);
  position += bytes;
}

} // namespace dlc::emit
