//===- CNames.cpp - the model's names as C identifiers ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/CNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace dlc {

// The keywords of C11 and C++20, since the header compiles as both.
static constexpr StringLiteral keywords[] = {"alignas",
                                             "alignof",
                                             "and",
                                             "and_eq",
                                             "asm",
                                             "auto",
                                             "bitand",
                                             "bitor",
                                             "bool",
                                             "break",
                                             "case",
                                             "catch",
                                             "char",
                                             "char16_t",
                                             "char32_t",
                                             "char8_t",
                                             "class",
                                             "co_await",
                                             "co_return",
                                             "co_yield",
                                             "compl",
                                             "concept",
                                             "const",
                                             "const_cast",
                                             "consteval",
                                             "constexpr",
                                             "constinit",
                                             "continue",
                                             "decltype",
                                             "default",
                                             "delete",
                                             "do",
                                             "double",
                                             "dynamic_cast",
                                             "else",
                                             "enum",
                                             "explicit",
                                             "export",
                                             "extern",
                                             "false",
                                             "float",
                                             "for",
                                             "friend",
                                             "goto",
                                             "if",
                                             "inline",
                                             "int",
                                             "long",
                                             "mutable",
                                             "namespace",
                                             "new",
                                             "noexcept",
                                             "not",
                                             "not_eq",
                                             "nullptr",
                                             "operator",
                                             "or",
                                             "or_eq",
                                             "private",
                                             "protected",
                                             "public",
                                             "register",
                                             "reinterpret_cast",
                                             "requires",
                                             "restrict",
                                             "return",
                                             "short",
                                             "signed",
                                             "sizeof",
                                             "static",
                                             "static_assert",
                                             "static_cast",
                                             "struct",
                                             "switch",
                                             "template",
                                             "this",
                                             "thread_local",
                                             "throw",
                                             "true",
                                             "try",
                                             "typedef",
                                             "typeid",
                                             "typename",
                                             "union",
                                             "unsigned",
                                             "using",
                                             "virtual",
                                             "void",
                                             "volatile",
                                             "wchar_t",
                                             "while",
                                             "xor",
                                             "xor_eq"};

// Macros and types that are there wherever a C program includes the header.
static constexpr StringLiteral taken[] = {
    "EOF",    "I",         "INFINITY", "NAN",         "NULL",     "assert",    "complex",
    "errno",  "int16_t",   "int32_t",  "int64_t",     "int8_t",   "intptr_t",  "linux",
    "main",   "ptrdiff_t", "size_t",   "max_align_t", "offsetof", "stderr",    "stdin",
    "stdout", "uint16_t",  "uint32_t", "uint64_t",    "uint8_t",  "uintptr_t", "unix"};

std::string cIdentifier(StringRef name) {
  std::string result;
  for (char c : name)
    result += isAlnum(c) || c == '_' ? c : '_';
  if (result.empty() || isDigit(result.front()))
    result.insert(result.begin(), '_');
  if (is_contained(keywords, StringRef(result)) || is_contained(taken, StringRef(result)))
    result += '_';
  return result;
}

CNames::CNames(ArrayRef<StringRef> reserved) {
  for (StringRef name : reserved)
    used.insert(name);
}

std::string CNames::unique(StringRef name) {
  std::string base = cIdentifier(name), result = base;
  for (unsigned i = 2; !used.insert(result).second; ++i)
    result = base + "_" + std::to_string(i);
  return result;
}

} // namespace dlc
