//===- CNames.h - the model's names as C identifiers -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_CNAMES_H
#define DLC_COMPILER_SUPPORT_CNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace dlc {

/// `name` as a C identifier: other characters become '_'; a keyword of C or C++ and what the C library's
/// headers define get one at their end, a leading digit one before it.
std::string cIdentifier(llvm::StringRef name);

/// Hands out different C identifiers for different names, in order of asking.
class CNames {
public:
  /// Identifiers that are taken already.
  explicit CNames(llvm::ArrayRef<llvm::StringRef> reserved = {});
  std::string unique(llvm::StringRef name);

private:
  llvm::StringSet<> used;
};

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_CNAMES_H
