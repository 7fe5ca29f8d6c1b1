//===- Options.cpp - what the user says about a model that is read ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Options.h"
#include "compiler/support/CNames.h"
#include "llvm/ADT/StringExtras.h"

namespace dlc::frontend {

std::string programName(llvm::StringRef stem) {
  std::string name;
  for (char c : stem)
    name += llvm::isAlnum(c) ? c : '_';
  return name.empty() || llvm::isDigit(name[0]) ? "model_" + name : cIdentifier(name);
}

} // namespace dlc::frontend
