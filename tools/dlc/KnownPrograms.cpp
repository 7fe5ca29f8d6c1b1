//===- KnownPrograms.cpp - C++ files that a user has heard of --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The user's cache has a line for each place, a digest of it: a list of somebody's files is nobody else's
// business. Two processes may append at the same time, as a line is one write.
//===----------------------------------------------------------------------===//
#include "tools/dlc/KnownPrograms.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::sys;

namespace dlc::tool {

/// Beyond that the list begins anew.
constexpr uint64_t mostBytes = 1 << 20;

static std::string digestOf(StringRef place) {
  return toHex(SHA256::hash(arrayRefFromStringRef(place)), /*LowerCase=*/true);
}

/// The list in the user's cache, in a folder that is there; "" where there can be none.
static std::string listOfPrograms() {
  SmallString<128> path;
  if (!path::cache_directory(path))
    return "";
  path::append(path, "dlc");
  if (fs::create_directories(path))
    return "";
  path::append(path, "programs");
  return path.str().str();
}

bool isKnownProgram(StringRef file) {
  SmallString<128> place;
  const std::string list = listOfPrograms();
  if (list.empty() || fs::real_path(file, place))
    return false;
  const std::string line = digestOf(place) + "\n";
  fs::file_status status;
  const bool isThere = !fs::status(list, status);
  if (isThere && status.type() != fs::file_type::regular_file)
    return false;
  const bool isFull = isThere && status.getSize() > mostBytes;
  if (isThere && !isFull)
    if (auto text = MemoryBuffer::getFile(list); text && (*text)->getBuffer().contains(line))
      return true;
  std::error_code error;
  raw_fd_ostream out(list, error, isFull ? fs::CD_CreateAlways : fs::CD_OpenAlways, fs::FA_Write,
                     isFull ? fs::OF_None : fs::OF_Append);
  if (!error)
    out << line;
  out.clear_error(); // a full disk: it is said again
  return false;
}

} // namespace dlc::tool
