//===- Tensors.cpp - what a profiled call reads and writes -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Tensors.h"
#include "tools/dlc/ElementBytes.h"
#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>

namespace dlc::tool {

namespace {

template <typename T> void put(std::vector<unsigned char> &bytes, size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

/// Numbers from 0 to 1, indices in their range.
void fill(std::vector<unsigned char> &bytes, const dlc_input &input, std::mt19937_64 &random) {
  const size_t size = elementBytes(input.dtype);
  for (size_t i = 0; i < bytes.size() / size; ++i) {
    const double unit = double(random() >> 11) * 0x1p-53;
    const int64_t low = input.is_index ? input.index_low : 0, limit = input.is_index ? input.index_limit : 2;
    const int64_t whole = std::min(low + int64_t(unit * double(limit - low)), limit - 1);
    const auto single = static_cast<float>(unit);
    uint32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    switch (input.dtype) {
    case DLC_F32:
      put(bytes, i, single);
      break;
    case DLC_F64:
      put(bytes, i, unit);
      break;
    case DLC_I32:
      put(bytes, i, static_cast<int32_t>(whole));
      break;
    case DLC_I64:
      put(bytes, i, whole);
      break;
    case DLC_BOOL:
      put(bytes, i, static_cast<uint8_t>(whole));
      break;
    case DLC_U8:
      put(bytes, i, static_cast<uint8_t>(input.is_index ? whole : int64_t(unit * 256)));
      break;
    case DLC_BF16:
      put(bytes, i, static_cast<uint16_t>(bits >> 16));
      break;
    case DLC_F16: // 0.5 to 1: exponent 14, ten random bits
      put(bytes, i, static_cast<uint16_t>(14 << 10 | (bits >> 13 & 0x3ff)));
      break;
    }
  }
}

void read(std::vector<unsigned char> &bytes, const dlc_input &input, const std::string &path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  if (!stream)
    throw std::runtime_error(path + ": error: cannot be read");
  const auto size = static_cast<size_t>(stream.tellg());
  if (size != bytes.size())
    throw std::runtime_error(path + ": error: " + std::to_string(size) + " bytes, but input '" + input.name +
                             "' has " + std::to_string(bytes.size()));
  stream.seekg(0);
  stream.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(size));
  if (!stream)
    throw std::runtime_error(path + ": error: cannot be read");
}

} // namespace

Tensors::Tensors(const dlc_model &model, const std::vector<std::string> &files, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> paths(model.input_count);
  for (const std::string &file : files) {
    const size_t equals = file.find('=');
    uint32_t i = 0;
    while (i < model.input_count && file.substr(0, equals) != model.inputs[i].name)
      ++i;
    if (equals == std::string::npos || i == model.input_count)
      throw std::runtime_error("dlc: error: --input expects NAME=FILE with an input of the model, got '" +
                               file + "'");
    paths[i] = file.substr(equals + 1);
  }
  for (uint32_t i = 0; i < model.input_count; ++i) {
    const dlc_input &input = model.inputs[i];
    memory.emplace_back(size_t(elementCount(input.rank, input.shape)) * elementBytes(input.dtype));
    if (paths[i].empty())
      fill(memory.back(), input, random);
    else
      read(memory.back(), input, paths[i]);
    inputPointers.push_back(memory.back().data());
  }
  for (uint32_t i = 0; i < model.output_count; ++i) {
    memory.emplace_back(size_t(elementCount(model.outputs[i].rank, model.outputs[i].shape)) *
                        elementBytes(model.outputs[i].dtype));
    outputPointers.push_back(memory.back().data());
  }
}

} // namespace dlc::tool
