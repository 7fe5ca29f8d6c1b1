//===- InflateTarget.cpp --------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decompresses arbitrary bytes, and asks zlib for the same.
//===----------------------------------------------------------------------===//
#include "runtime/data/Inflate.h"
#include "tests/runtime/fuzz/Targets.h"

#include <cstring>
#include <memory>
#include <zlib.h>

namespace {

constexpr size_t most = 1 << 20; // of decompressed bytes
using Result = dlc::runtime::Inflater::Result;

/// A file that comes in pieces, so that each state meets the end of one.
struct Pieces {
  const uint8_t *bytes;
  size_t left, piece;
  static size_t next(void *context, const unsigned char *&bytes) {
    auto &self = *static_cast<Pieces *>(context);
    const size_t count = self.left < self.piece ? self.left : self.piece;
    bytes = self.bytes;
    self.bytes += count;
    self.left -= count;
    return count;
  }
};

Result inflated(const uint8_t *bytes, size_t size, std::string &all) {
  auto inflater = std::make_unique<dlc::runtime::Inflater>();
  Pieces pieces{bytes, size, 1 + size % 61};
  inflater->readFrom(Pieces::next, &pieces);
  unsigned char some[777];
  size_t got = 0;
  Result result;
  do {
    result = inflater->read(some, sizeof some, got);
    all.append(reinterpret_cast<char *>(some), got);
  } while (result == Result::Ok && got == sizeof some && all.size() < most);
  fuzz::require(result != Result::Damaged || inflater->problem(), "no sentence about damage");
  return result;
}

enum class Reference { Valid, Invalid, Unknown };

/// One member after the other, to the file's last byte. The sum of a header is the only thing that zlib looks
/// at and the runtime does not.
Reference byZlib(const uint8_t *bytes, size_t size, std::string &all) {
  constexpr int gzipFormat = 16;
  z_stream stream = {};
  fuzz::require(inflateInit2(&stream, gzipFormat + MAX_WBITS) == Z_OK, "zlib does not begin");
  stream.next_in = const_cast<Bytef *>(bytes);
  stream.avail_in = static_cast<uInt>(size);
  unsigned char some[4096];
  int status = Z_OK;
  while (all.size() < most && (status == Z_OK || (status == Z_STREAM_END && stream.avail_in))) {
    if (status == Z_STREAM_END)
      inflateReset(&stream);
    stream.next_out = some;
    stream.avail_out = sizeof some;
    status = inflate(&stream, Z_NO_FLUSH);
    all.append(reinterpret_cast<char *>(some), sizeof some - stream.avail_out);
  }
  const bool byHeader = stream.msg && strstr(stream.msg, "header crc");
  inflateEnd(&stream);
  if (all.size() >= most || byHeader)
    return Reference::Unknown;
  return status == Z_STREAM_END ? Reference::Valid : Reference::Invalid;
}

} // namespace

bool fuzzInflate(const uint8_t *bytes, size_t size) {
  std::string found, wanted;
  const Result result = inflated(bytes, size, found);
  const Reference reference = byZlib(bytes, size, wanted);
  if (reference != Reference::Unknown)
    fuzz::require((result == Result::Ok) == (reference == Reference::Valid), "zlib decides otherwise");
  const size_t common = found.size() < wanted.size() ? found.size() : wanted.size();
  fuzz::require(!memcmp(found.data(), wanted.data(), common), "zlib gives other bytes");
  if (reference == Reference::Valid)
    fuzz::require(found.size() == wanted.size(), "zlib gives more or fewer bytes");
  return reference == Reference::Valid;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzInflate(bytes, size);
  return 0;
}
#endif
