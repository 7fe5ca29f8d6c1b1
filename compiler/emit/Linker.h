//===- Linker.h - the linker inside the compiler ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_LINKER_H
#define DLC_COMPILER_EMIT_LINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace dlc::emit {

/// Links with lld, which is part of this program, as its command ld.lld does with these arguments. The error
/// is what it found. May be called by several threads: they link one after the other.
llvm::Error runLinker(llvm::ArrayRef<std::string> arguments);

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_LINKER_H
