//===- Calls.cpp - the calls that nodes were made of
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Calls.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace dlc::onnx {

//===-- Metadata -----------------------------------------------------------===//

/// The numbers of `metadata_props` in graphs and nodes: the field is younger than the message classes, so
/// that it is among the fields that they do not know.
constexpr int graphMetadata = 16, nodeMetadata = 9;

template <typename Message> static std::string entryOf(const Message &message, int field, StringRef key) {
  const auto &fields = message.unknown_fields();
  for (int i = 0; i < fields.field_count(); ++i) {
    if (fields.field(i).number() != field ||
        fields.field(i).type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      continue;
    ::onnx::StringStringEntryProto entry;
    if (entry.ParseFromString(fields.field(i).length_delimited()) && StringRef(entry.key()) == key)
      return entry.value();
  }
  return {};
}

std::string metadataOf(const ::onnx::NodeProto &node, StringRef key) {
  return entryOf(node, nodeMetadata, key);
}

std::string metadataOf(const ::onnx::GraphProto &graph, StringRef key) {
  return entryOf(graph, graphMetadata, key);
}

std::string textOfCall(const ::onnx::NodeProto &node) { return metadataOf(node, "pkg.torch.onnx.fx_node"); }

//===-- Text ---------------------------------------------------------------===//

static bool isWordCharacter(char c) { return isAlnum(c) || c == '_' || c == '.' || c == '-' || c == '+'; }

static StringRef symbolAt(StringRef text) {
  return text.take_while([](char c) { return isAlnum(c) || c == '_'; });
}

/// What stands between brackets and commas. `depth`: how many lists it is in.
static Argument argumentOf(StringRef word, unsigned depth) {
  double number;
  if (word == "None")
    return {depth == 0 ? Argument::None : Argument::Other, word.str()};
  bool isNumber = depth == 0 && !word.getAsDouble(number);
  return {isNumber ? Argument::Number : Argument::Other, word.str()};
}

/// "(%x, [1, 1], None), kwargs = {alpha: 2})": the brackets around all positions, and around all keywords,
/// are no lists.
static std::vector<Argument> parseArguments(StringRef text) {
  std::vector<Argument> arguments;
  unsigned depth = 0;
  while (!text.empty()) {
    char c = text.front();
    if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      if (depth == 0) // of the call itself
        break;
      --depth;
    } else if (c == '%') {
      StringRef symbol = symbolAt(text.drop_front());
      arguments.push_back({Argument::Symbol, symbol.str()});
      text = text.drop_front(symbol.size());
    } else if (isWordCharacter(c)) {
      StringRef word = text.take_while(isWordCharacter);
      text = text.drop_front(word.size());
      // "kwargs =", "alpha:"
      if (depth > 0 && !text.starts_with(":"))
        arguments.push_back(argumentOf(word, depth - 1));
      continue;
    }
    text = text.drop_front();
  }
  return arguments;
}

Call parseCall(StringRef text) {
  Call call;
  auto [head, arguments] = text.split("](");
  call.result = symbolAt(head.split('%').second).str();
  call.callee = head.split("target=").second.str();
  call.arguments = parseArguments(arguments);
  return call;
}

bool Call::mentions(StringRef symbol) const {
  return any_of(arguments, [&](const Argument &argument) {
    return argument.kind == Argument::Symbol && argument.text == symbol;
  });
}

bool Call::calls(StringRef function) const {
  SmallVector<StringRef> parts;
  StringRef(callee).split(parts, '.');
  return is_contained(parts, function);
}

bool isResultOfView(StringRef symbol) {
  auto [base, number] = symbol.rsplit('_');
  StringRef function = !number.empty() && all_of(number, isDigit) ? base : symbol;
  constexpr StringLiteral views[] = {"t",         "transpose", "permute",    "view",     "reshape",
                                     "unsqueeze", "squeeze",   "expand",     "flatten",  "clone",
                                     "numpy_t",   "alias",     "contiguous", "_to_copy", "expand_as",
                                     "view_as",   "unflatten", "movedim",    "to",       "broadcast_to"};
  return is_contained(views, function);
}

} // namespace dlc::onnx
