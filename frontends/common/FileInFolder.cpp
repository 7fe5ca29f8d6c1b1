//===- FileInFolder.cpp - files that a file may name -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/FileInFolder.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace dlc::frontend {

Expected<std::string> fileInFolder(StringRef location, StringRef folder, StringRef what, StringRef where) {
  auto outside = [&] {
    return createStringError(what + " '" + location + "' is outside " + where + ": that is not allowed");
  };
  if (location.empty())
    return createStringError(what + " without a location");
  if (sys::path::is_absolute(location) || location.contains('\0'))
    return outside();
  for (StringRef part : make_range(sys::path::begin(location), sys::path::end(location)))
    if (part == "..")
      return outside();
  SmallString<256> joined(folder.empty() ? "." : folder), realFolder, realFile;
  if (std::error_code error = sys::fs::real_path(joined, realFolder))
    return createStringError("cannot read " + where + ": " + error.message());
  sys::path::append(joined, location);
  if (std::error_code error = sys::fs::real_path(joined, realFile))
    return createStringError("cannot read " + what + " '" + location + "': " + error.message());
  if (!realFolder.ends_with("/"))
    realFolder += '/';
  if (!StringRef(realFile).starts_with(realFolder))
    return outside();
  return realFile.str().str();
}

} // namespace dlc::frontend
