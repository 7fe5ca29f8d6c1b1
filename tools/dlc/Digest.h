//===- Digest.h - what a training began with, in a few letters -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_DIGEST_H
#define DLC_TOOLS_DLC_DIGEST_H

#include <cstddef>
#include <memory>
#include <string>

namespace dlc::tool {

/// BLAKE3 of the bytes that it is given, of which it goes over some gigabytes a second.
class Digest {
public:
  Digest();
  Digest(const Digest &) = delete;
  Digest &operator=(const Digest &) = delete;
  ~Digest();

  void add(const void *bytes, size_t count);
  /// With its length, so that two texts are not one.
  void add(const std::string &text);
  /// 32 hexadecimal digits.
  std::string text() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// The bytes up to which a file is read whole for its digest: a larger one can take minutes to read.
constexpr long long digestedWhole = 1ll << 30;
/// The digest of a file: of its size and all of its content up to `digestedWhole` bytes, else of its size and
/// pieces of a mebibyte that are spread over it, as many as `digestedWhole` has. "" where it cannot be read.
std::string digestOfFile(const std::string &path);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_DIGEST_H
