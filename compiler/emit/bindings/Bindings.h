//===- Bindings.h - a compiled model in other languages than C -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file for each language, beside the header. It declares the functions of the header in that language,
// and around them a type that checks every array before C sees its address.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_BINDINGS_BINDINGS_H
#define DLC_COMPILER_EMIT_BINDINGS_BINDINGS_H

#include "compiler/emit/Header.h"
#include <utility>

namespace dlc::emit {

/// The file's name and text for the language of this name, one of LanguageNames.h. Equal interfaces and
/// options give equal text.
std::pair<std::string, std::string> writeBinding(llvm::StringRef language, const Interface &interface,
                                                 const HeaderOptions &options);

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_BINDINGS_BINDINGS_H
