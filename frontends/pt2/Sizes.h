//===- Sizes.h - sizes as SymPy prints them ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_SIZES_H
#define DLC_FRONTENDS_PT2_SIZES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace dlc::pt2 {

/// A product of a number and symbols: "Mul(Integer(2), Symbol('s77', positive=True, integer=True))".
struct Product {
  int64_t factor = 1;
  llvm::SmallVector<std::string, 1> symbols;
};

/// Nullopt where the text is anything else, such as a sum.
std::optional<Product> parseProduct(llvm::StringRef text);

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_SIZES_H
