//===- FortranText.h - lines and types of Fortran ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_BINDINGS_FORTRANTEXT_H
#define DLC_COMPILER_EMIT_BINDINGS_FORTRANTEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace dlc::emit::bindings::fortran {

llvm::StringRef typeOf(llvm::StringRef dtype);

/// A text; what cannot be printed is char(number).
std::string quoted(llvm::StringRef text);

/// No line may be longer than 132 characters; a line can go on anywhere, if & ends it and begins the next. A
/// comment behind a longer one stands before it.
std::string wrapped(llvm::StringRef text);

/// 64-bit arithmetic: "784" as "784_c_int64_t", "rows * seq" as "1_c_int64_t * rows * seq".
std::string wide(llvm::StringRef extent);

std::vector<std::string> reversed(std::vector<std::string> extents);

} // namespace dlc::emit::bindings::fortran

#endif // DLC_COMPILER_EMIT_BINDINGS_FORTRANTEXT_H
