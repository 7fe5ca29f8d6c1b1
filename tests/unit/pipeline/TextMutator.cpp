//===- TextMutator.cpp - small damage to MLIR text
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/unit/pipeline/FuzzTarget.h"
#include "llvm/ADT/StringExtras.h"
#include <vector>

using llvm::StringRef;

namespace {

using Span = std::pair<size_t, size_t>; ///< position, length

/// The longest runs of characters of which `belongs` is true.
template <typename Predicate> std::vector<Span> runs(const std::string &text, Predicate belongs) {
  std::vector<Span> found;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && belongs(text[end]))
      ++end;
    if (end > i)
      found.push_back({i, end - i});
    i = end + 1;
  }
  return found;
}

const char *const numbers[] = {"0",
                               "1",
                               "-1",
                               "2",
                               "3",
                               "8",
                               "65",
                               "1000000",
                               "2147483648",
                               "68719476737",
                               "4611686018427387904",
                               "9223372036854775807",
                               "-9223372036854775808",
                               "0.0",
                               "-2.5",
                               "1.0e+300",
                               "0x7FC00000",
                               "0x7FF8000000000000",
                               "?"};
const char *const types[] = {"f32", "f64", "f16",   "bf16", "i64",          "i32",
                             "i1",  "i8",  "index", "f80",  "complex<f32>", "!nn.x"};

} // namespace

std::string mutateText(std::string text, std::mt19937 &random) {
  auto below = [&](size_t bound) { return bound ? random() % bound : 0; };
  auto replace = [&](const std::vector<Span> &spans, const std::string &by) {
    if (spans.empty())
      return;
    Span span = spans[below(spans.size())];
    text.replace(span.first, span.second, by);
  };
  auto words = [&] {
    return runs(text, [](char c) { return llvm::isAlnum(c) || StringRef("_.%@#-").contains(c); });
  };
  auto lines = [&] { return runs(text, [](char c) { return c != '\n'; }); };
  auto pick = [&](const std::vector<Span> &spans) {
    Span span = spans.empty() ? Span(0, 0) : spans[below(spans.size())];
    return text.substr(span.first, span.second);
  };
  for (size_t i = 0, count = 1 + below(3); i < count && !text.empty(); ++i) {
    switch (below(10)) {
    case 0:
    case 1:
    case 2:
      replace(runs(text, [](char c) { return llvm::isDigit(c); }), numbers[below(std::size(numbers))]);
      break;
    case 3: {
      std::vector<Span> found;
      for (const char *type : types)
        for (size_t at = text.find(type); at != std::string::npos; at = text.find(type, at + 1))
          found.push_back({at, StringRef(type).size()});
      replace(found, types[below(std::size(types))]);
      break;
    }
    case 4:
    case 5:
      replace(words(), pick(words()));
      break;
    case 6:
      replace(words(), "");
      break;
    case 7:
      replace(lines(), below(2) ? "" : pick(lines()));
      break;
    case 8: {
      std::string line = pick(lines());
      text.insert(below(text.size()), line + "\n");
      break;
    }
    case 9: {
      static const char characters[] = "()[]{}<>,:=->x*#%@\"\\? \n0";
      text[below(text.size())] = characters[below(sizeof characters - 1)];
      break;
    }
    }
  }
  return text;
}
