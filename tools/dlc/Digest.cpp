//===- Digest.cpp - what a training began with, in a few letters -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/Digest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace dlc::tool {

struct Digest::State {
  llvm::BLAKE3 hash;
};

Digest::Digest() : state(std::make_unique<State>()) {}
Digest::~Digest() = default;

void Digest::add(const void *bytes, size_t count) {
  state->hash.update(llvm::ArrayRef(static_cast<const uint8_t *>(bytes), count));
}

void Digest::add(const std::string &text) {
  const std::string length = std::to_string(text.size()) + ":";
  add(length.data(), length.size());
  add(text.data(), text.size());
}

std::string Digest::text() const {
  const auto bytes = state->hash.final<16>();
  return llvm::toHex(bytes, /*LowerCase=*/true);
}

namespace {

constexpr long long pieceBytes = 1 << 20;

/// Adds the bytes from `begin` on; false where the file has fewer or cannot be read.
bool addPiece(Digest &digest, int file, long long begin, long long count, std::vector<char> &buffer) {
  while (count > 0) {
    const long long most = std::min<long long>(count, static_cast<long long>(buffer.size()));
    const ssize_t got = pread(file, buffer.data(), static_cast<size_t>(most), begin);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    digest.add(buffer.data(), static_cast<size_t>(got));
    begin += got;
    count -= got;
  }
  return true;
}

bool addFile(Digest &digest, int file, long long size) {
  std::vector<char> buffer(pieceBytes);
  digest.add(std::to_string(size));
  if (size <= digestedWhole)
    return addPiece(digest, file, 0, size, buffer);
  constexpr long long pieces = digestedWhole / pieceBytes;
  for (long long i = 0; i < pieces; ++i) {
    // The first one at the beginning, the last one at the end; no product of both is too large for 64 bits.
    const long long rest = size - pieceBytes,
                    begin = rest / (pieces - 1) * i + rest % (pieces - 1) * i / (pieces - 1);
    if (!addPiece(digest, file, begin, pieceBytes, buffer))
      return false;
  }
  return true;
}

} // namespace

std::string digestOfFile(const std::string &path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return "";
  Digest digest;
  struct stat status;
  const bool isRead =
      fstat(file, &status) == 0 && S_ISREG(status.st_mode) && addFile(digest, file, status.st_size);
  close(file);
  return isRead ? digest.text() : "";
}

} // namespace dlc::tool
