//===- SystemLibrary.cpp - the C library that a shared library is linked to ===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/SystemLibrary.h"
#include "llvm/Support/VersionTuple.h"

using namespace llvm;

namespace dlc::emit {
namespace {

struct Names {
  StringRef library, version, names; ///< the names with a space between two
};
const Names glibc[] = {
#define DLC_GLIBC_NAMES(library, version, names) {library, version, names},
#include "compiler/emit/GlibcNames.inc"
#undef DLC_GLIBC_NAMES
};

/// glibc came to 64-bit ARM with version 2.17: what is older on x86-64 has that one there.
StringRef versionOn(const Triple &triple, StringRef version) {
  constexpr StringLiteral first = "GLIBC_2.17";
  VersionTuple given, oldest;
  given.tryParse(version.substr(strlen("GLIBC_")));
  oldest.tryParse(first.substr(strlen("GLIBC_")));
  return triple.isAArch64() && given < oldest ? StringRef(first) : version;
}

/// The dynamic linker has another name on each architecture.
StringRef sonameOf(StringRef library, const Triple &triple) {
  if (library != "ld.so")
    return library;
  return triple.isAArch64() ? "ld-linux-aarch64.so.1" : "ld-linux-x86-64.so.2";
}

} // namespace

std::vector<SystemLibrary> systemLibraries(const Triple &triple) {
  std::vector<SystemLibrary> libraries;
  for (const Names &names : glibc) {
    // musl is one library, whose names have no versions; to its loader each library that is called libc.* is
    // that one.
    StringRef soname = triple.isMusl() ? "libc.so" : sonameOf(names.library, triple);
    if (libraries.empty() || libraries.back().soname != soname)
      libraries.push_back({soname.str(), {}});
    const StringRef version = triple.isMusl() ? "" : versionOn(triple, names.version);
    SmallVector<StringRef> each;
    names.names.split(each, ' ');
    for (StringRef name : each)
      libraries.back().symbols.emplace_back(name, version);
  }
  return libraries;
}

} // namespace dlc::emit
