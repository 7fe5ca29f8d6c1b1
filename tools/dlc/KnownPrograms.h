//===- KnownPrograms.h - C++ files that a user has heard of ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_KNOWNPROGRAMS_H
#define DLC_TOOLS_DLC_KNOWNPROGRAMS_H

#include "llvm/ADT/StringRef.h"

namespace dlc::tool {

/// Whether this user has been told that the file at this place is a program, which dlc compiles and runs;
/// from now on he has. A place counts, not what stands there: who edits a file hears of it once. Where
/// nothing can be remembered, no file is known.
bool isKnownProgram(llvm::StringRef file);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_KNOWNPROGRAMS_H
