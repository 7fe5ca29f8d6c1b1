//===- Archives.h - .pt2 archives for tests ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Archives as torch.export.save writes them, of graphs that tests write as text, and their parts one by one,
// so that each can be damaged.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_UNIT_PT2_ARCHIVES_H
#define DLC_TESTS_UNIT_PT2_ARCHIVES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace archives {

/// Appends a number, little-endian.
template <typename T> void put(std::string &bytes, T number) {
  for (unsigned i = 0; i < sizeof(T); ++i)
    bytes.push_back(char(uint64_t(number) >> (8 * i) & 255));
}
/// Overwrites one.
template <typename T> void patch(std::string &bytes, size_t at, T number) {
  std::string text;
  put(text, number);
  bytes.replace(at, text.size(), text);
}

struct Entry {
  std::string name, content;
  uint16_t method = 0, flags = 0;
  bool isLarge = false; ///< its numbers stand in the field of zip64
};

/// A zip archive. `isLarge`: its directory is that of zip64.
std::string zipOf(const std::vector<Entry> &entries, bool isLarge = false, const std::string &comment = "");

/// Places of things in an archive of zipOf.
size_t endOf(const std::string &zip);       ///< the record at the end
size_t directoryOf(const std::string &zip); ///< the first entry of the directory

/// The parts of an exported program, as JSON.
struct Program {
  /// Tensors by their names in the graph: "float32" and sizes, numbers or symbols ("s0").
  struct Meta {
    int dtype = 7;
    std::vector<std::string> sizes;
  };
  std::map<std::string, Meta> tensors;
  std::vector<std::string> inputSpecs, outputSpecs, nodes;
  std::string ranges = "{}";
  int version = 8;
  std::map<std::string, std::string> weights;   ///< entries of model_weights_config.json: "config" values
  std::map<std::string, std::string> constants; ///< the same of constants
  std::map<std::string, std::string> blobs;     ///< "weights/weight_0": bytes
  std::map<std::string, std::string> more;      ///< other entries

  /// An input of the user's, of floats.
  void input(const std::string &name, std::vector<std::string> sizes, int dtype = 7);
  /// A parameter "name" whose name in the graph is "p_name", of numbers 0, 1, 2 ... / 8.
  void parameter(const std::string &name, std::vector<int64_t> sizes, bool requiresGrad = true);
  /// A buffer, "b_name".
  void buffer(const std::string &name, std::vector<int64_t> sizes);
  /// A node with one result of the same name; `arguments` is JSON: {"name": ..., "arg": {...}}, ...
  void node(const std::string &target, const std::string &name, const std::string &arguments, Meta result,
            const std::string &trace = "");
  void output(const std::string &name);

  std::string json() const;
  std::vector<Entry> entries() const;
  std::string bytes() const { return zipOf(entries()); }
};

/// {"name": NAME, "arg": {"as_tensor": {"name": VALUE}}}
std::string tensor(const std::string &name, const std::string &value);
std::string integer(const std::string &name, int64_t value);
std::string integers(const std::string &name, const std::vector<int64_t> &values);
std::string number(const std::string &name, const std::string &value);
std::string flag(const std::string &name, bool value);

/// x [s0, 3] times a weight and plus a bias, then an activation.
Program perceptron();

} // namespace archives

#endif // DLC_TESTS_UNIT_PT2_ARCHIVES_H
