//===- ProgramSymbols.cpp - the names of a program that is imported ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/ProgramSymbols.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace dlc::frontend {

std::string ProgramSymbols::numbered(StringRef name) {
  return (name + "_" + Twine(++lastSuffixes[name])).str();
}

std::string ProgramSymbols::unique(StringRef name) {
  std::string symbol = name.str();
  while (!symbols.insert(symbol).second)
    do
      symbol = numbered(name);
    while (model.contains(symbol));
  return symbol;
}

std::string ProgramSymbols::added(StringRef name) {
  std::string symbol = name.str();
  while (model.contains(symbol) || !symbols.insert(symbol).second)
    symbol = numbered(name);
  return symbol;
}

std::string ProgramSymbols::freeModelName(StringRef name, function_ref<bool(StringRef)> isTaken) {
  std::string other = name.str();
  while (isTaken(other) || !model.insert(other).second)
    other = numbered(name);
  return other;
}

} // namespace dlc::frontend
