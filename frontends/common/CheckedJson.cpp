//===- CheckedJson.cpp - the values of a JSON file that a user wrote -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/CheckedJson.h"
#include "compiler/support/PointLocale.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using llvm::StringRef, llvm::Twine;
namespace json = llvm::json;

namespace dlc::frontend {

static bool isNestedTooDeep(StringRef text, int most) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (inString) {
      i += text[i] == '\\';
      inString = i >= text.size() || text[i] != '"';
    } else if (text[i] == '"') {
      inString = true;
    } else if (text[i] == '[' || text[i] == '{') {
      if (++depth > most)
        return true;
    } else if (text[i] == ']' || text[i] == '}') {
      --depth;
    }
  }
  return false;
}

llvm::Expected<json::Value> CheckedJson::parse(StringRef text, const JsonLimits &limits) {
  if (text.size() > limits.bytes)
    return llvm::createStringError("expected a text of at most " + Twine(limits.bytes) + " bytes, got " +
                                   Twine(text.size()));
  if (isNestedTooDeep(text, limits.nesting))
    return llvm::createStringError("brackets are nested more than " + Twine(limits.nesting) + " deep");
  const PointLocale locale; // LLVM's reader of JSON takes numbers as the program's language writes them
  llvm::Expected<json::Value> file = json::parse(text);
  if (!file)
    return llvm::createStringError("this is no JSON: " + llvm::toString(file.takeError()));
  return file;
}

llvm::Expected<json::Value> CheckedJson::parseFile(StringRef path) {
  const JsonLimits limits;
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return llvm::createStringError("cannot read the file: " + error.message());
  if (!llvm::sys::fs::is_regular_file(status) || status.getSize() > limits.bytes)
    return llvm::createStringError("expected a file of at most " + Twine(limits.bytes) + " bytes");
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read the file: " + buffer.getError().message());
  return parse((*buffer)->getBuffer(), limits);
}

std::string CheckedJson::text(const json::Object &object, StringRef key, const std::string &where,
                              bool needed) {
  const json::Value *value = object.get(key);
  std::optional<StringRef> found = value ? value->getAsString() : std::nullopt;
  if (value ? !found || found->empty() : needed)
    fail(where + ": expected a text for '" + key + "'" + (value ? "" : ", which is missing"));
  return found ? found->str() : "";
}

const json::Array *CheckedJson::list(const json::Object &object, StringRef key, const std::string &where,
                                     bool needed) {
  const json::Value *value = object.get(key);
  const json::Array *found = value ? value->getAsArray() : nullptr;
  if (value ? !found : needed)
    fail(where + ": expected a list for '" + key + "'" + (value ? "" : ", which is missing"));
  return found;
}

const json::Object *CheckedJson::object(const json::Object &object, StringRef key, const std::string &where,
                                        bool needed) {
  const json::Value *value = object.get(key);
  const json::Object *found = value ? value->getAsObject() : nullptr;
  if (value ? !found : needed)
    fail(where + ": expected an object for '" + key + "'" + (value ? "" : ", which is missing"));
  return found;
}

int64_t CheckedJson::integer(const json::Object &object, StringRef key, const std::string &where) {
  std::optional<int64_t> found = object.getInteger(key);
  if (!found)
    fail(where + ": expected a whole number for '" + key + "'");
  return found.value_or(0);
}

bool CheckedJson::boolean(const json::Object &object, StringRef key, const std::string &where) {
  std::optional<bool> found = object.getBoolean(key);
  if (!found)
    fail(where + ": expected true or false for '" + key + "'");
  return found.value_or(false);
}

void CheckedJson::forEach(const json::Array *objects, const std::string &where,
                          llvm::function_ref<void(const json::Object &, const std::string &)> visit) {
  if (!objects)
    return;
  for (auto [index, value] : llvm::enumerate(*objects)) {
    std::string here = where + "[" + std::to_string(index) + "]";
    if (const json::Object *object = value.getAsObject())
      visit(*object, here);
    else
      fail(here + ": expected an object {...}");
  }
}

void CheckedJson::checkKeys(const json::Object &object, const std::string &where,
                            std::initializer_list<StringRef> known) {
  for (const auto &entry : object)
    if (!llvm::is_contained(known, StringRef(entry.first)))
      fail(where + ": '" + StringRef(entry.first) + "' is not known; there are " + llvm::join(known, ", "));
}

} // namespace dlc::frontend
