//===- SystemLibrary.h - the C library that a shared library is linked to --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared library names the libraries that it needs (libc.so.6), and of each function the version that it
// was made for (memcpy of GLIBC_2.14). A linker takes both from the libraries themselves. dlc has a list
// instead: it links for machines whose libraries are not here, and what comes out does not depend on this
// machine's.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_SYSTEMLIBRARY_H
#define DLC_COMPILER_EMIT_SYSTEMLIBRARY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Triple.h"
#include <string>
#include <utility>
#include <vector>

namespace dlc::emit {

/// A shared library of the system, as far as a linker asks about it.
struct SystemLibrary {
  std::string soname;
  /// Names of functions and variables, each with its version; empty: it has none.
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> symbols;
};

/// What the C library of a machine consists of: glibc (2.36, and for functions that did not change since,
/// older ones) or musl.
std::vector<SystemLibrary> systemLibraries(const llvm::Triple &triple);

/// The bytes of an ELF file that a linker takes for the library: its names and versions without any code.
std::string stubOf(const SystemLibrary &library, const llvm::Triple &triple);

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_SYSTEMLIBRARY_H
