//===- ManifestField.cpp - a manifest's values, checked ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/ManifestField.h"
#include "tools/dlc/BoundedJson.h"
#include "tools/dlc/Printable.h"
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace dlc::tool {

constexpr size_t mostRank = 64;

void ManifestField::fail(const std::string &expected) const {
  std::string got = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (got.size() > 60)
    got = got.substr(0, 60) + "...";
  throw std::runtime_error(file + ": error: not a manifest of this version of dlc: expected " + expected +
                           " as '" + name + "', got " + printable(got) + ": compile the model again");
}

ManifestField ManifestField::at(const std::string &key) const {
  if (!json.is_object())
    fail("an object");
  static const Json missing;
  const auto found = json.find(key);
  return ManifestField(found == json.end() ? missing : *found, file, name.empty() ? key : name + "." + key);
}

std::vector<ManifestField> ManifestField::elements() const {
  if (!json.is_array())
    fail("a list");
  std::vector<ManifestField> result;
  for (size_t i = 0; i < json.size(); ++i)
    result.emplace_back(json[i], file, name + "[" + std::to_string(i) + "]");
  return result;
}

std::vector<std::string> ManifestField::keys() const {
  if (!json.is_object())
    fail("an object");
  std::vector<std::string> result;
  for (const auto &entry : json.items())
    result.push_back(entry.key());
  return result;
}

std::string ManifestField::text() const {
  if (!json.is_string())
    fail("a text");
  std::string value = json.get<std::string>();
  if (value.find('\0') != std::string::npos)
    fail("a text without zeros");
  return value;
}

std::string ManifestField::textOrCount() const { return json.is_string() ? text() : std::to_string(count()); }

int64_t ManifestField::count(int64_t least) const {
  const bool fits = json.is_number_unsigned() && json.get<uint64_t>() <= uint64_t{INT64_MAX} &&
                    json.get<int64_t>() >= least;
  if (!fits)
    fail("a whole number from " + std::to_string(least) + " on");
  return json.get<int64_t>();
}

int64_t ManifestField::number() const {
  if (!json.is_number_integer() || (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{INT64_MAX}))
    fail("a whole number");
  return json.get<int64_t>();
}

bool ManifestField::truth() const {
  if (!json.is_boolean())
    fail("true or false");
  return json.get<bool>();
}

std::vector<int64_t> ManifestField::counts() const {
  std::vector<int64_t> result;
  for (const ManifestField &element : elements())
    result.push_back(element.count());
  if (result.size() > mostRank)
    fail("at most " + std::to_string(mostRank) + " numbers");
  return result;
}

/// What to do with a file that is no JSON: most likely it is one that lies beside the manifest, or the model.
static std::string whatElse(const std::filesystem::path &path) {
  if (path.extension() == ".json")
    return "not a manifest of this version of dlc: compile the model again";
  return std::string("expected the manifest (.json) that dlc compile writes beside the library") +
         (path.extension() == ".onnx" ? ": compile the model first" : "");
}

template <typename Input> static ManifestField::Json parse(Input &&input, const std::string &path) {
  try {
    return parseBounded<ManifestField::Json>(std::forward<Input>(input));
  } catch (const std::exception &) {
    throw std::runtime_error(path + ": error: " + whatElse(path));
  }
}

ManifestJson::ManifestJson(const std::string &text, std::string path)
    : path(std::move(path)), json(parse(text, this->path)) {}

ManifestJson::ManifestJson(const std::string &path) : path(path) {
  std::error_code error; // a pipe would keep the process waiting
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw std::runtime_error(path + ": error: not a regular file");
  std::ifstream stream(path);
  if (!stream)
    throw std::runtime_error(
        path + ": error: cannot read the manifest, which names the kernels and what they compute");
  json = parse(stream, path);
}

} // namespace dlc::tool
