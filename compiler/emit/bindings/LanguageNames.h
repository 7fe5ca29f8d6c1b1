//===- LanguageNames.h - the languages of --bindings -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table, which the command line and the writers have in common; this header knows no LLVM.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_BINDINGS_LANGUAGENAMES_H
#define DLC_COMPILER_EMIT_BINDINGS_LANGUAGENAMES_H

namespace dlc::emit {

struct BindingLanguage {
  const char *name;        ///< as --bindings has it
  const char *spoken;      ///< as people call it
  bool needsSharedLibrary; ///< programs load libraries, and are not linked with them
};

/// In the order in which help texts and messages name them.
inline constexpr BindingLanguage bindingLanguages[] = {
    {"rust", "Rust", false},       {"go", "Go", false},    {"csharp", "C#", true},
    {"fortran", "Fortran", false}, {"java", "Java", true}, {"swift", "Swift", false},
};

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_BINDINGS_LANGUAGENAMES_H
