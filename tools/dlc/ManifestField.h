//===- ManifestField.h - a manifest's values, checked ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A manifest may be anyone's: each value that is read is what its reader expects, or an error
// (std::runtime_error) that names the file and the field.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_MANIFESTFIELD_H
#define DLC_TOOLS_DLC_MANIFESTFIELD_H

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dlc::tool {

/// A value of the manifest, which knows where it stands. It refers to its file's ManifestJson.
class ManifestField {
public:
  using Json = nlohmann::json;
  ManifestField(const Json &json, std::string file, std::string name)
      : json(json), file(std::move(file)), name(std::move(name)) {}

  [[noreturn]] void fail(const std::string &expected) const;
  bool has(const char *key) const { return json.is_object() && json.contains(key); }
  /// What is missing is null, which no reader takes.
  ManifestField at(const std::string &key) const;
  std::vector<ManifestField> elements() const;
  std::vector<std::string> keys() const;

  std::string text() const; ///< without zeros
  /// A text or a number, as text: a size that is known, or the name of one that is not.
  std::string textOrCount() const;
  int64_t count(int64_t least = 0) const;
  int64_t number() const; ///< also below zero
  bool truth() const;
  std::vector<int64_t> counts() const; ///< at most 64 of them

private:
  const Json &json;
  std::string file, name;
};

/// A manifest, read and parsed.
class ManifestJson {
public:
  /// The manifest in a file. Throws std::runtime_error where it cannot be read.
  explicit ManifestJson(const std::string &path);
  /// The manifest that is this text; errors name `path`.
  ManifestJson(const std::string &text, std::string path);
  ManifestField root() const { return ManifestField(json, path, ""); }

private:
  std::string path;
  ManifestField::Json json;
};

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_MANIFESTFIELD_H
