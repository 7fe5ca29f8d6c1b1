//===- Digest.h - which files belong together -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SHA-256 in hexadecimal digits, as the command sha256sum prints it: the manifest has that of the files that
// were written with it.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_DIGEST_H
#define DLC_COMPILER_EMIT_DIGEST_H

#include "llvm/Support/Error.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace dlc::emit {

std::string digestOf(llvm::StringRef content);
/// The digest of a regular file.
llvm::Expected<std::string> digestOfFile(llvm::StringRef path);

/// Passes on what is written to it, and knows its digest.
class DigestStream : public llvm::raw_ostream {
public:
  explicit DigestStream(llvm::raw_ostream &out) : out(out) {}
  ~DigestStream() override { flush(); }
  std::string digest();

private:
  void write_impl(const char *data, size_t bytes) override;
  uint64_t current_pos() const override { return position; }

  llvm::raw_ostream &out;
  llvm::SHA256 state;
  uint64_t position = 0;
};

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_DIGEST_H
