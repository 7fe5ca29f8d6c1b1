//===- ByteSource.h -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a file, or of a member of an archive, in order, decompressed on the way where they are
// compressed.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_BYTESOURCE_H
#define DLC_RUNTIME_DATA_BYTESOURCE_H

#include "runtime/core/File.h"
#include "runtime/data/Inflate.h"

namespace dlc::runtime {

/// Where the bytes of an archive's member are, and what the archive says about them.
struct FilePart {
  uint64_t begin, bytes; ///< as they are stored
  bool isDeflated;
  uint64_t length;   ///< of what they decompress to
  uint32_t checksum; ///< CRC-32 of that ...
  bool hasChecksum;  ///< ... where the archive says it
};

class ByteSource {
public:
  ByteSource() = default;
  ~ByteSource();
  ByteSource(const ByteSource &) = delete;
  ByteSource &operator=(const ByteSource &) = delete;

  /// A file, which may be compressed with gzip.
  dlc_status open(const char *path, Error &error);
  /// A file as it is.
  dlc_status openPlain(const char *path, Error &error);
  /// A member of the archive `path`; `name` stands for it in messages.
  dlc_status openPart(const char *path, const char *name, const FilePart &part, Error &error);

  /// Exactly `count` bytes; fewer are an error.
  dlc_status read(void *buffer, size_t count, Error &error);

  /// Fails unless all bytes have been read; also compares the checksum of a compressed file or of a member.
  dlc_status expectEnd(Error &error);

  /// No more bytes than this can come: a file's own length bounds what its header may claim.
  uint64_t mostBytes() const;
  /// Just so many bytes come of a plain file or of a member.
  uint64_t length() const { return isPart ? part.length : end; }

private:
  dlc_status checkSum(Error &error);
  dlc_status readPlain(unsigned char *buffer, size_t count, size_t &got, Error &error);
  dlc_status startInflate(Error &error);
  dlc_status inflateSome(unsigned char *buffer, size_t count, size_t &got, Error &error);
  size_t refill(const unsigned char *&bytes);

  static constexpr size_t inputBytes = 65536;

  const char *path = nullptr;
  InputFile file;
  uint64_t position = 0,
           end = 0; ///< of the next byte to take from the file, and of the first one not to take
  FilePart part = {};
  bool isPart = false;
  uint32_t checksum = 0; ///< of the bytes of a part that is not compressed, until now
  Array<unsigned char> input;
  Inflater *inflater = nullptr; ///< of a compressed file
  Error *refillError = nullptr; ///< where a failure to read goes while the inflater works
  dlc_status refillStatus = DLC_OK;
};

} // namespace dlc::runtime

#endif
