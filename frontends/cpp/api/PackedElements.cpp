//===- PackedElements.cpp - numbers as packed elements -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/PackedElements.h"
#include <cmath>
#include <cstring>

namespace dlc::detail {

namespace {

/// The numbers as elements of type T, one behind the other.
template <typename T, typename Convert>
std::vector<char> packed(const std::vector<double> &numbers, Convert convert) {
  std::vector<char> bytes(numbers.size() * sizeof(T));
  char *next = bytes.data();
  for (double number : numbers) {
    T value = convert(number);
    std::memcpy(next, &value, sizeof value);
    next += sizeof value;
  }
  return bytes;
}

template <typename T> T load(const std::vector<char> &bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return value;
}

/// A float of 16 bits with `mantissa` bits after the point and the exponent bias `bias`.
uint16_t toNarrow(double number, int mantissa, int bias) {
  uint16_t sign = std::signbit(number) ? 0x8000 : 0, infinity = uint16_t(0x7fff >> mantissa << mantissa);
  if (std::isnan(number))
    return sign | infinity | uint16_t(1 << (mantissa - 1));
  double size = std::fabs(number);
  if (size == 0)
    return sign;
  int exponent = std::max(std::ilogb(size), 1 - bias);
  double steps = std::nearbyint(std::ldexp(size, mantissa - exponent)); // the default mode: halves to even
  if (std::isinf(size) || std::ldexp(steps, exponent - mantissa) >= std::ldexp(1, bias + 1))
    return sign | infinity;
  bool isNormal = steps >= std::ldexp(1, mantissa);
  return sign + uint16_t(steps) + uint16_t(isNormal ? (exponent + bias - 1) << mantissa : 0);
}

double fromNarrow(uint16_t bits, int mantissa, int bias) {
  int exponent = (bits & 0x7fff) >> mantissa, fraction = bits & ((1 << mantissa) - 1);
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 0x7fff >> mantissa)
    return fraction ? NAN : sign * INFINITY;
  return sign * (exponent ? std::ldexp(fraction + (1 << mantissa), exponent - bias - mantissa)
                          : std::ldexp(fraction, 1 - bias - mantissa));
}

std::vector<char> packedAs(DType dtype, const std::vector<double> &numbers) {
  switch (dtype) {
  case DType::Float32:
    return packed<float>(numbers, [](double number) { return float(number); });
  case DType::Float64:
    return packed<double>(numbers, [](double number) { return number; });
  case DType::BFloat16:
    return packed<uint16_t>(numbers, [](double number) { return toNarrow(number, 7, 127); });
  case DType::Float16:
    return packed<uint16_t>(numbers, [](double number) { return toNarrow(number, 10, 15); });
  case DType::Int64:
    return packed<int64_t>(numbers, [](double number) { return int64_t(number); });
  case DType::Int32:
    return packed<int32_t>(numbers, [](double number) { return int32_t(int64_t(number)); });
  case DType::Bool:
    return packed<char>(numbers, [](double number) { return char(number != 0); });
  case DType::UInt8:
    return packed<uint8_t>(numbers, [](double number) { return uint8_t(int64_t(number)); });
  }
  return {};
}

double loadAs(DType dtype, const std::vector<char> &bytes, size_t i) {
  switch (dtype) {
  case DType::Float32:
    return load<float>(bytes, i);
  case DType::Float64:
    return load<double>(bytes, i);
  case DType::BFloat16:
    return fromNarrow(load<uint16_t>(bytes, i), 7, 127);
  case DType::Float16:
    return fromNarrow(load<uint16_t>(bytes, i), 10, 15);
  case DType::Int64:
    return double(load<int64_t>(bytes, i));
  case DType::Int32:
    return load<int32_t>(bytes, i);
  case DType::Bool:
    return load<char>(bytes, i);
  case DType::UInt8:
    return load<uint8_t>(bytes, i);
  }
  return 0;
}

} // namespace

int64_t bytesOf(DType dtype) { return int64_t(packedAs(dtype, {0}).size()); }

int64_t countOf(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

record::Elements pack(const std::vector<double> &numbers, const std::vector<int64_t> &shape, DType dtype) {
  return {shape, dtype, packedAs(dtype, numbers)};
}

record::Elements packSplat(double number, const std::vector<int64_t> &shape, DType dtype) {
  if (countOf(shape) == 0)
    return pack({}, shape, dtype);
  return {shape, dtype, packedAs(dtype, {number}), /*splat=*/true};
}

std::vector<double> unpack(const record::Elements &elements) {
  std::vector<double> numbers(countOf(elements.shape));
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = loadAs(elements.dtype, elements.bytes, elements.splat ? 0 : i);
  return numbers;
}

} // namespace dlc::detail
