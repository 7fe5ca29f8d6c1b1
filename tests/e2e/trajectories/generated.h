//===-- generated.h - what the references of large nets need not store --------===//
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same numbers as in generated.py: images for training, and signs that gradients are multiplied with.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_E2E_TRAJECTORIES_GENERATED_H
#define DLC_TESTS_E2E_TRAJECTORIES_GENERATED_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace dlc::test {

/// splitmix64's finalizer.
inline uint64_t mixed(uint64_t number) {
  uint64_t z = number + 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// A multiple of 2^-20 in [-1, 1).
inline double fraction(uint64_t number) { return static_cast<double>(mixed(number) >> 43) / 1048576 - 1; }

template <typename T> std::vector<char> bytesOf(const std::vector<T> &values) {
  std::vector<char> raw(values.size() * sizeof(T));
  std::memcpy(raw.data(), values.data(), raw.size());
  return raw;
}

/// Bytes of `rows` images of `size` pixels, noise on a pattern of their class, and of their labels.
inline std::pair<std::vector<char>, std::vector<char>> makeImages(uint64_t rows, uint64_t size,
                                                                  uint64_t classes) {
  std::vector<float> pixels(rows * size);
  std::vector<int64_t> labels(rows);
  for (uint64_t row = 0; row < rows; ++row) {
    uint64_t label = mixed(row + (uint64_t(1) << 40)) % classes;
    labels[row] = static_cast<int64_t>(label);
    for (uint64_t i = 0; i < size; ++i)
      pixels[row * size + i] =
          static_cast<float>(fraction(row * size + i) + fraction((uint64_t(1) << 50) + label * size + i));
  }
  return {bytesOf(pixels), bytesOf(labels)};
}

/// Bytes of inputs and of targets that are noise.
inline std::pair<std::vector<char>, std::vector<char>> makeNumbers(uint64_t count) {
  std::vector<float> inputs(count), targets(count);
  for (uint64_t i = 0; i < count; ++i) {
    inputs[i] = static_cast<float>(fraction(i));
    targets[i] = static_cast<float>(fraction((uint64_t(1) << 50) + i));
  }
  return {bytesOf(inputs), bytesOf(targets)};
}

/// Bytes of random tokens, and of targets that are the sum of a token and the one before it.
inline std::pair<std::vector<char>, std::vector<char>> makeTokens(uint64_t rows, uint64_t window,
                                                                  uint64_t vocabulary) {
  std::vector<int64_t> inputs(rows * window), targets(rows * window);
  for (uint64_t i = 0; i < inputs.size(); ++i) {
    inputs[i] = static_cast<int64_t>(mixed(i) % vocabulary);
    targets[i] = (inputs[i] + (i % window ? inputs[i - 1] : 0)) % static_cast<int64_t>(vocabulary);
  }
  return {bytesOf(inputs), bytesOf(targets)};
}

/// An estimate of |values - r|, where `expected` are the products of r with as many vectors of signs.
inline double distanceBySketch(const std::vector<float> &values, const std::vector<double> &expected) {
  std::vector<double> products(expected.size(), 0);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = mixed(i);
    for (size_t j = 0; j < products.size(); ++j)
      products[j] += bits >> j & 1 ? static_cast<double>(values[i]) : -static_cast<double>(values[i]);
  }
  double squares = 0;
  for (size_t j = 0; j < products.size(); ++j)
    squares += (products[j] - expected[j]) * (products[j] - expected[j]);
  return std::sqrt(squares / static_cast<double>(products.size()));
}

} // namespace dlc::test

#endif // DLC_TESTS_E2E_TRAJECTORIES_GENERATED_H
