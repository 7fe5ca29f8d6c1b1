//===- Header.h - the C header of a compiled model -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_HEADER_H
#define DLC_COMPILER_EMIT_HEADER_H

#include "compiler/emit/Interface.h"

namespace dlc::emit {

struct HeaderOptions {
  std::string training;    ///< what is minimised and how, in words; empty without a loss
  std::string weightsFile; ///< file name of the initial parameters; empty: in the library
};

/// C11 and C++17. It declares what codegen defines: the functions of compiler/codegen/model/Api.cpp.
std::string writeHeader(const Interface &interface, const HeaderOptions &options);

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_HEADER_H
