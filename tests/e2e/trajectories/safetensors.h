//===-- safetensors.h - reads the stored references ----------------------------===//
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reader of its own for the tests' references, independent of the runtime's: 8 bytes of length, a JSON
// header, the tensors' bytes.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_E2E_TRAJECTORIES_SAFETENSORS_H
#define DLC_TESTS_E2E_TRAJECTORIES_SAFETENSORS_H

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace dlc::test {

struct Tensor {
  std::string dtype; // "F32", "F64" ...
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  template <typename T> std::vector<T> as() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
};

inline std::map<std::string, Tensor> readSafetensors(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  uint64_t length = 0;
  file.read(reinterpret_cast<char *>(&length), sizeof length);
  if (!file)
    throw std::runtime_error(path + ": cannot be read");
  std::string header(length, '\0');
  file.read(header.data(), static_cast<std::streamsize>(length));
  std::map<std::string, Tensor> tensors;
  const nlohmann::json entries = nlohmann::json::parse(header); // outlives the loop over its items
  for (const auto &[name, entry] : entries.items()) {
    if (name == "__metadata__")
      continue;
    Tensor tensor{entry["dtype"], entry["shape"], {}};
    uint64_t begin = entry["data_offsets"][0], end = entry["data_offsets"][1];
    tensor.bytes.resize(end - begin);
    file.seekg(static_cast<std::streamoff>(8 + length + begin));
    file.read(tensor.bytes.data(), static_cast<std::streamsize>(tensor.bytes.size()));
    if (!file)
      throw std::runtime_error(path + ": ends within " + name);
    tensors.emplace(name, std::move(tensor));
  }
  return tensors;
}

} // namespace dlc::test

#endif // DLC_TESTS_E2E_TRAJECTORIES_SAFETENSORS_H
