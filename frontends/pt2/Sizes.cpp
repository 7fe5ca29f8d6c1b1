//===- Sizes.cpp - sizes as SymPy prints them -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Sizes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace dlc::pt2 {

static constexpr size_t mostSymbols = 16;

/// Symbol('s77', positive=True, integer=True): what SymPy assumes of it is behind its name.
static bool addSymbol(StringRef &text, Product &product) {
  size_t end = text.find('\'');
  size_t close = end == StringRef::npos ? end : text.find(')', end);
  if (close == StringRef::npos || product.symbols.size() == mostSymbols)
    return false;
  StringRef name = text.take_front(end);
  bool isName = !name.empty() && all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
  product.symbols.push_back(name.str());
  text = text.drop_front(close + 1);
  return isName;
}

static bool addFactor(StringRef &text, Product &product) {
  if (text.consume_front("Symbol('"))
    return addSymbol(text, product);
  bool isCalled = text.consume_front("Integer(");
  int64_t number;
  return !text.consumeInteger(10, number) && (!isCalled || text.consume_front(")")) && number >= 0 &&
         !MulOverflow(product.factor, number, product.factor);
}

std::optional<Product> parseProduct(StringRef text) {
  Product product;
  bool isProduct = text.consume_front("Mul(");
  do
    if (!addFactor(text, product))
      return std::nullopt;
  while (isProduct && text.consume_front(", "));
  if (isProduct && !text.consume_front(")"))
    return std::nullopt;
  if (!text.empty())
    return std::nullopt;
  return product;
}

} // namespace dlc::pt2
