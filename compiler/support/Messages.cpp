//===- Messages.cpp - messages for users of a model ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/Messages.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;

namespace dlc {

/// What comes after "'nn.matmul' op ", as verifiers begin. (Elsewhere in a message such a word may be a name
/// of the model's.)
static StringRef withoutOperation(StringRef message) {
  StringRef rest = message;
  if (!rest.consume_front("'"))
    return message;
  StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  rest = rest.drop_front(name.size());
  return name.contains('.') && rest.consume_front("' op ") ? rest : message;
}

/// "float32" for "f32"; "" for what is no dtype.
static std::string dtypeName(StringRef inProgram) {
  if (inProgram == "i1")
    return "bool";
  StringRef bits = inProgram;
  std::string kind = bits.consume_front("bf")   ? "bfloat"
                     : bits.consume_front("f")  ? "float"
                     : bits.consume_front("ui") ? "uint"
                                                : "int";
  if (kind == "int" && !bits.consume_front("i"))
    return "";
  return bits == "8" || bits == "16" || bits == "32" || bits == "64" ? kind + bits.str() : "";
}

/// "float32 [batch, 16]" of the text between "tensor<" and its ">"; "" where it has another form.
static std::string describeTensor(StringRef inside) {
  auto [form, encoding] = inside.split(", #nn.dims<");
  llvm::SmallVector<StringRef> dims, names;
  form.split(dims, 'x');
  encoding.consume_back(">");
  if (!encoding.empty())
    encoding.split(names, ", ");
  std::string text = dtypeName(dims.pop_back_val());
  if (text.empty())
    return "";
  text += " [";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == "?" && i >= names.size())
      return "";
    text += (i ? ", " : "") + (dims[i] == "?" ? names[i].trim('"') : dims[i]).str();
  }
  return text + "]";
}

std::string forUsersOfModels(StringRef message) {
  std::string result;
  std::string found = "got "; // what stands before a dtype; elsewhere 'f32' may be a name of the model's
  message = withoutOperation(message);
  while (!message.empty()) {
    bool quoted = message.front() == '\'';
    StringRef rest = message.drop_front(quoted);
    if (rest.starts_with("tensor<")) {
      size_t depth = 0, end = 0;
      for (; end < rest.size(); ++end) {
        depth += rest[end] == '<';
        if (rest[end] == '>' && --depth == 0)
          break;
      }
      std::string described = end < rest.size() ? describeTensor(rest.slice(7, end)) : "";
      if (!described.empty()) {
        result += described;
        message = rest.substr(end + 1);
        if (quoted)
          message.consume_front("'");
        continue;
      }
    }
    std::string dtype = quoted && StringRef(result).ends_with(found) ? dtypeName(rest.split('\'').first) : "";
    if (!dtype.empty()) {
      result += dtype;
      found = "got " + dtype + " and ";
      message = rest.split('\'').second;
      continue;
    }
    result += message.front();
    message = message.drop_front();
  }
  return result;
}

StringRef kindOfValues(StringRef inMlir) {
  bool isFloat = inMlir.contains("float"), isInteger = inMlir.contains("64-bit signless");
  return isFloat && isInteger ? "numbers"
         : isFloat            ? "floating-point numbers"
         : isInteger          ? "integers"
                              : "truth values";
}

std::string withKindOfValues(StringRef sentence) {
  auto [operand, kinds] = sentence.split(" must be ranked tensor of ");
  auto [kind, got] = kinds.split(" values, but got ");
  unsigned number;
  if (got.empty() || !operand.consume_front("operand #") || operand.getAsInteger(10, number))
    return sentence.str();
  const char *hint = got.starts_with("uint8") ? "; cast bytes to numbers first" : "";
  return ("expects " + kindOfValues(kind) + " as operand " + llvm::Twine(number) + ", got " + got + hint)
      .str();
}

std::string typeForUsers(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return forUsersOfModels(text);
}

} // namespace dlc
