//===- Text.cpp - names and patterns in generated files --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/Text.h"
#include "compiler/emit/HeaderArguments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace dlc::emit::bindings {

std::string filled(StringRef pattern, const Values &values) {
  std::string text;
  while (true) {
    auto [before, rest] = pattern.split('@');
    text += before;
    if (before.size() == pattern.size())
      return text;
    auto [name, after] = rest.split('@');
    auto value = find_if(values, [name = name](const auto &value) { return value.first == name; });
    if (value == values.end())
      report_fatal_error("a pattern of a binding has an unknown name: " + name);
    text += value->second;
    pattern = after;
  }
}

std::string inAnyComment(StringRef text) {
  std::string result = inComment(text);
  llvm::replace(result, '\\', '?');
  return result;
}

std::string inMarkup(StringRef text) {
  std::string result;
  for (char c : inAnyComment(text))
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

std::string hexadecimal(uint32_t number, unsigned digits) {
  std::string text = utohexstr(number, /*LowerCase=*/true);
  return std::string(digits - std::min<size_t>(digits, text.size()), '0') + text;
}

std::string literal(StringRef text, function_ref<std::string(uint32_t)> escape, StringRef alsoEscaped) {
  std::string result;
  const auto *next = reinterpret_cast<const UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const UTF8 *>(text.end());
  while (next != end) {
    UTF32 character = 0, *to = &character;
    const UTF8 *start = next;
    if (ConvertUTF8toUTF32(&next, end, &to, to + 1, strictConversion) == sourceIllegal || next == start) {
      next = start + 1;
      character = 0xfffd;
    }
    const bool isPlain =
        character < 0x80 && isPrint(char(character)) && !alsoEscaped.contains(char(character));
    result += isPlain ? std::string(1, char(character)) : escape(character);
  }
  return result;
}

std::string camel(StringRef name, bool upperFirst) {
  std::string result;
  bool isUpper = upperFirst;
  for (char c : name) {
    if (c == '_') {
      isUpper = upperFirst || !result.empty();
      continue;
    }
    result += isUpper ? toUpper(c) : c;
    isUpper = false;
  }
  return result.empty() || isDigit(result.front()) ? "_" + result : result;
}

Names::Names(const NameRules &rules, StringRef alsoTaken) : rules(rules) {
  SmallVector<StringRef> words;
  for (StringRef taken : {StringRef(rules.taken), alsoTaken})
    taken.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    used.insert(rules.foldsCase ? word.lower() : word.str());
}

std::string Names::unique(StringRef cName) {
  std::string base = cName.str();
  if (!isAlpha(base.front()))
    base = rules.before + base;
  base.resize(std::min<size_t>(base.size(), rules.longest - 12)); // with room for a number
  std::string result = base;
  auto isNew = [&] { return used.insert(rules.foldsCase ? StringRef(result).lower() : result).second; };
  for (unsigned i = 2; !isNew(); ++i)
    result = base + "_" + std::to_string(i);
  return result;
}

} // namespace dlc::emit::bindings
