//===- Symbols.h - names that are still free -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names in a program are the model's own, so a name that the compiler adds may be taken.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_SYMBOLS_H
#define DLC_COMPILER_SUPPORT_SYMBOLS_H

#include "mlir/IR/SymbolTable.h"
#include <string>

namespace dlc {

/// `name`, or `name` with the smallest number after it that no symbol of `table` has.
inline std::string freeSymbol(mlir::Operation *table, llvm::StringRef name) {
  std::string candidate = name.str();
  for (unsigned i = 1; mlir::SymbolTable::lookupSymbolIn(table, candidate); ++i)
    candidate = (name + "_" + llvm::Twine(i)).str();
  return candidate;
}

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_SYMBOLS_H
