//===- ByteSource.h -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file's bytes in order, decompressed on the way where the file is gzip-compressed.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_BYTESOURCE_H
#define DLC_RUNTIME_DATA_BYTESOURCE_H

#include "runtime/core/File.h"
#include "runtime/data/Inflate.h"

namespace dlc::runtime {

class ByteSource {
public:
  ByteSource() = default;
  ~ByteSource();
  ByteSource(const ByteSource &) = delete;
  ByteSource &operator=(const ByteSource &) = delete;

  dlc_status open(const char *path, Error &error);

  /// Exactly `count` bytes; fewer are an error.
  dlc_status read(void *buffer, size_t count, Error &error);

  /// Fails unless all bytes have been read; also compares a compressed file's checksum.
  dlc_status expectEnd(Error &error);

  /// No more bytes than this can come: a file's own length bounds what its header may claim.
  uint64_t mostBytes() const;

private:
  dlc_status readPlain(unsigned char *buffer, size_t count, size_t &got, Error &error);
  dlc_status startInflate(Error &error);
  dlc_status inflateSome(unsigned char *buffer, size_t count, size_t &got, Error &error);
  size_t refill(const unsigned char *&bytes);

  static constexpr size_t inputBytes = 65536;

  const char *path = nullptr;
  InputFile file;
  uint64_t position = 0; ///< of the next byte to take from the file
  Array<unsigned char> input;
  Inflater *inflater = nullptr; ///< of a compressed file
  Error *refillError = nullptr; ///< where a failure to read goes while the inflater works
  dlc_status refillStatus = DLC_OK;
};

} // namespace dlc::runtime

#endif
