//===- Languages.h - the writer of each language ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_BINDINGS_LANGUAGES_H
#define DLC_COMPILER_EMIT_BINDINGS_LANGUAGES_H

#include "compiler/emit/bindings/Description.h"

namespace dlc::emit::bindings {

/// Its name and text.
using File = std::pair<std::string, std::string>;

File writeRust(const Description &model);
File writeGo(const Description &model);
File writeCSharp(const Description &model);
File writeFortran(const Description &model);
File writeJava(const Description &model);
File writeSwift(const Description &model);

} // namespace dlc::emit::bindings

#endif // DLC_COMPILER_EMIT_BINDINGS_LANGUAGES_H
