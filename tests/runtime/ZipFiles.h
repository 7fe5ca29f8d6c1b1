//===- ZipFiles.h ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Archives as NumPy writes them, and others, for tests.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_RUNTIME_ZIPFILES_H
#define DLC_TESTS_RUNTIME_ZIPFILES_H

#include <string>
#include <vector>
#include <zlib.h>

namespace zip {

inline std::string number(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += static_cast<char>(value >> (8 * i));
  return text;
}

/// Deflate's blocks alone.
inline std::string deflated(const std::string &bytes) {
  z_stream stream = {};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string text(bytes.size() + 100, 0);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  deflate(&stream, Z_FINISH);
  text.resize(stream.total_out);
  deflateEnd(&stream);
  return text;
}

struct Member {
  std::string name, bytes;
  bool isDeflated = false;
  int method = -1; ///< another than these two
  int flags = 0;
};

/// `isLarge`: numbers stand in the records for archives beyond 4 GiB.
inline std::string archive(const std::vector<Member> &members, bool isLarge = false,
                           const std::string &comment = "") {
  std::string file, directory;
  for (const Member &member : members) {
    const std::string stored = member.isDeflated ? deflated(member.bytes) : member.bytes;
    const uLong sum = crc32(0, reinterpret_cast<const Bytef *>(member.bytes.data()),
                            static_cast<uInt>(member.bytes.size()));
    const int method = member.method >= 0 ? member.method : member.isDeflated ? 8 : 0;
    const size_t begin = file.size();
    // NumPy has the sizes in the extra field of each member's own header.
    const std::string extra =
        number(1, 2) + number(16, 2) + number(member.bytes.size(), 8) + number(stored.size(), 8);
    file += "PK\3\4" + number(45, 2) + number(member.flags, 2) + number(method, 2) + number(0, 4) +
            number(sum, 4) + number(UINT32_MAX, 4) + number(UINT32_MAX, 4) + number(member.name.size(), 2) +
            number(extra.size(), 2) + member.name + extra + stored;
    const std::string large = isLarge ? number(9, 2) + number(2, 2) + "xy" + number(1, 2) + number(24, 2) +
                                            number(member.bytes.size(), 8) + number(stored.size(), 8) +
                                            number(begin, 8)
                                      : "";
    directory += "PK\1\2" + number(45, 2) + number(45, 2) + number(member.flags, 2) + number(method, 2) +
                 number(0, 4) + number(sum, 4) + number(isLarge ? UINT32_MAX : stored.size(), 4) +
                 number(isLarge ? UINT32_MAX : member.bytes.size(), 4) + number(member.name.size(), 2) +
                 number(large.size(), 2) + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) +
                 number(isLarge ? UINT32_MAX : begin, 4) + member.name + large;
  }
  const size_t place = file.size();
  file += directory;
  if (isLarge) {
    const size_t record = file.size();
    file += "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 4) + number(0, 4) +
            number(members.size(), 8) + number(members.size(), 8) + number(directory.size(), 8) +
            number(place, 8);
    file += "PK\6\7" + number(0, 4) + number(record, 8) + number(1, 4);
  }
  const uint64_t count = isLarge ? UINT16_MAX : members.size();
  return file + "PK\5\6" + number(0, 4) + number(count, 2) + number(count, 2) +
         number(isLarge ? UINT32_MAX : directory.size(), 4) + number(isLarge ? UINT32_MAX : place, 4) +
         number(comment.size(), 2) + comment;
}

} // namespace zip

#endif
