//===- ProgramSymbols.h - the names of a program that is imported -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the symbols of the program, each of which occurs once, and the names of the model's values: what has
// a name in the model keeps it, and what dlc adds is called otherwise.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_PROGRAMSYMBOLS_H
#define DLC_FRONTENDS_COMMON_PROGRAMSYMBOLS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace dlc::frontend {

class ProgramSymbols {
public:
  /// A symbol like `name`; where something of the program has that name already, with a number.
  std::string unique(llvm::StringRef name);
  /// The symbol of something that the model does not have.
  std::string added(llvm::StringRef name);
  /// The program has something of this name.
  void take(llvm::StringRef symbol) { symbols.insert(symbol); }

  /// A value of the model has this name.
  void addModelName(llvm::StringRef name) { model.insert(name); }
  /// A new name of a value, like `name`, that no value of the model has, nor one that is taken otherwise.
  std::string freeModelName(llvm::StringRef name, llvm::function_ref<bool(llvm::StringRef)> isTaken);
  const llvm::StringSet<> &modelNames() const { return model; }

private:
  std::string numbered(llvm::StringRef name);

  llvm::StringSet<> symbols, model;
  llvm::StringMap<unsigned> lastSuffixes; ///< of names that were taken
};

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_PROGRAMSYMBOLS_H
