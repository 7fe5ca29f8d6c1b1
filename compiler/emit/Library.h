//===- Library.h - object files as a static or shared library --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_LIBRARY_H
#define DLC_COMPILER_EMIT_LIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <string>
#include <utility>

namespace dlc::emit {

/// An object file: its name and its bytes.
using Member = std::pair<std::string, std::string>;

/// The bytes of a static library, without times or user ids: equal members give equal bytes.
llvm::Expected<std::string> makeArchive(llvm::ArrayRef<Member> members);

/// The bytes of the shared library lib`prefix`.so for a machine, with `runtime` (a static library of that
/// machine) inside. It exports the model's functions, `prefix`_*, and the functions of dlc/runtime.h, so that
/// a program in another language needs no other file. Its SONAME is its file name. It needs the machine's C
/// library and nothing else; what is in neither of them is an error. Equal members and an equal runtime give
/// equal bytes, wherever they are linked.
llvm::Expected<std::string> linkShared(llvm::ArrayRef<Member> members, llvm::StringRef runtime,
                                       llvm::StringRef prefix, const llvm::Triple &triple);

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_LIBRARY_H
