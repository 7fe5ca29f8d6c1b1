//===- Arrays.cpp - arrays of samples --------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Arrays.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

namespace dlc::tool::training {

int guarded(const std::function<int()> &run) {
  try {
    return run();
  } catch (const std::exception &error) {
    std::fflush(stdout);
    if (*error.what())
      std::fprintf(stderr, "dlc: error: %s\n", error.what());
    return 1;
  }
}

namespace {

/// The sizes of a row, without those that are 1.
std::vector<int64_t> rowSizes(int64_t rank, const int64_t *shape) {
  std::vector<int64_t> sizes;
  for (int64_t i = 1; i < rank; ++i)
    if (shape[i] != 1)
      sizes.push_back(shape[i]);
  return sizes;
}

int64_t product(const std::vector<int64_t> &sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// Where values are from, for messages: a file, and the sample that the array begins with.
struct Origin {
  const std::string &place;
  int64_t first = 0;

  std::string of(size_t index, const dlc_array &array, size_t count) const {
    return place + ": sample " +
           std::to_string(first + int64_t(index / (count / size_t(array.shape[0]))) + 1);
  }
};

/// Whether the other type has this very number, which is then in `result`. No conversion is done that C++
/// leaves undefined, and a long double holds all numbers of all these types.
template <typename From, typename To> bool fits(From value, To &result) {
  const auto exact = static_cast<long double>(value);
  if constexpr (std::is_integral_v<To>) {
    constexpr auto low = static_cast<long double>(std::numeric_limits<To>::min());
    constexpr long double limit = std::is_signed_v<To> ? -low : std::numeric_limits<To>::max() + 1.0L;
    if (!(exact >= low && exact < limit)) // not so for NaN
      return false;
  }
  result = static_cast<To>(value);
  return static_cast<long double>(result) == exact || (std::isnan(exact) && !std::is_integral_v<To>);
}

template <typename From, typename To>
void convertValues(const dlc_array &from, dlc_array &to, const Origin &origin) {
  static_assert(std::numeric_limits<long double>::digits >= std::numeric_limits<int64_t>::digits);
  const auto *values = static_cast<const From *>(from.data);
  auto *results = static_cast<To *>(to.data);
  const size_t count = from.bytes / sizeof(From);
  for (size_t i = 0; i < count; ++i) {
    if (fits(values[i], results[i]))
      continue;
    const std::string dtype = dtypeName(uint32_t(to.dtype));
    if (std::is_integral_v<To>)
      throw Failure(origin.of(i, from, count) + ": expected a whole number in the range of " + dtype +
                    ", got " + digitsOf(values[i]));
    throw Failure(origin.of(i, from, count) + ": " + digitsOf(values[i]) + " is a number of " +
                  dtypeName(uint32_t(from.dtype)) + " that " + dtype + ", which the model takes, has not: " +
                  digitsOf(double(results[i])) + " is the nearest; store the values as " + dtype +
                  " (in Python: array.astype(numpy." + dtype + "))");
  }
}

template <typename From> void convertFrom(const dlc_array &from, dlc_array &to, const Origin &origin) {
  switch (to.dtype) {
  case DLC_F32:
    return convertValues<From, float>(from, to, origin);
  case DLC_F64:
    return convertValues<From, double>(from, to, origin);
  case DLC_I32:
    return convertValues<From, int32_t>(from, to, origin);
  case DLC_I64:
    return convertValues<From, int64_t>(from, to, origin);
  case DLC_U8:
    return convertValues<From, uint8_t>(from, to, origin);
  default:
    throw Failure(origin.place + ": values of type " + dtypeName(uint32_t(from.dtype)) +
                  " where the model takes " + dtypeName(uint32_t(to.dtype)) + "; store them as such");
  }
}

float ofFloat16(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float size = exponent == 31  ? (fraction ? std::numeric_limits<float>::quiet_NaN()
                                                 : std::numeric_limits<float>::infinity())
                     : exponent == 0 ? std::ldexp(float(fraction), -24)
                                     : std::ldexp(float(1024 + fraction), exponent - 25);
  return bits & 0x8000 ? -size : size;
}

float ofBfloat16(uint16_t bits) {
  const uint32_t word = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

/// float32 has each number of 16 bits.
std::vector<float> widened(const dlc_array &narrow) {
  std::vector<float> values(narrow.bytes / sizeof(uint16_t));
  for (size_t i = 0; i < values.size(); ++i) {
    uint16_t bits;
    std::memcpy(&bits, static_cast<const char *>(narrow.data) + i * sizeof bits, sizeof bits);
    values[i] = narrow.dtype == DLC_F16 ? ofFloat16(bits) : ofBfloat16(bits);
  }
  return values;
}

void convert(const dlc_array &from, dlc_array &to, const Origin &origin) {
  switch (from.dtype) {
  case DLC_F16:
  case DLC_BF16: {
    std::vector<float> values = widened(from);
    dlc_array wide = from;
    wide.dtype = DLC_F32;
    wide.data = values.data();
    wide.bytes = values.size() * sizeof(float);
    return convertFrom<float>(wide, to, origin);
  }
  case DLC_F32:
    return convertFrom<float>(from, to, origin);
  case DLC_F64:
    return convertFrom<double>(from, to, origin);
  case DLC_I32:
    return convertFrom<int32_t>(from, to, origin);
  case DLC_I64:
    return convertFrom<int64_t>(from, to, origin);
  case DLC_U8:
    return convertFrom<uint8_t>(from, to, origin);
  default:
    throw Failure(origin.place + ": values of type " + dtypeName(uint32_t(from.dtype)) +
                  " where the model takes " + dtypeName(uint32_t(to.dtype)));
  }
}

Array converted(const Array &array, uint32_t dtype, const std::string &place) {
  Array result;
  *result.get() = *array.get();
  result->dtype = int32_t(dtype);
  result->bytes = size_t(array.elements()) * elementBytes(dtype);
  result->data = std::malloc(result->bytes);
  if (!result->data)
    throw Failure(place + ": no memory for its values");
  convert(*array.get(), *result.get(), {place});
  return result;
}

/// What a label that is no class may have been meant as.
std::string adviceOnLabel(const dlc_input &input, int64_t label) {
  if (!input.is_target)
    return "";
  if (label == input.index_limit)
    return "; classes count from 0";
  if (label >= 0 || input.ignore_index == INT64_MIN)
    return "";
  return "; rows that do not count have the label " + std::to_string(input.ignore_index) +
         ", which --ignore-index=" + std::to_string(label) + " changes";
}

template <typename T> void checkRange(const dlc_input &input, const dlc_array &array, const Origin &origin) {
  const auto *values = static_cast<const T *>(array.data);
  const size_t count = array.bytes / sizeof(T);
  for (size_t i = 0; i < count; ++i)
    if ((values[i] < input.index_low || values[i] >= input.index_limit) && values[i] != input.ignore_index)
      throw Failure(origin.of(i, array, count) + " is " + std::to_string(values[i]) + ", but input '" +
                    input.name + "' of the model takes " + std::to_string(input.index_low) + " to " +
                    std::to_string(input.index_limit - 1) + adviceOnLabel(input, int64_t(values[i])));
}

void checkIndices(const dlc_input &input, const dlc_array &array, const Origin &origin) {
  if (input.is_index && input.dtype == DLC_I64)
    checkRange<int64_t>(input, array, origin);
  else if (input.is_index && input.dtype == DLC_I32)
    checkRange<int32_t>(input, array, origin);
  else if (input.is_index && input.dtype == DLC_U8)
    checkRange<uint8_t>(input, array, origin);
}

} // namespace

int64_t Array::elements() const {
  return value.rank > 0 ? int64_t(value.bytes / elementBytes(uint32_t(value.dtype))) : 0;
}

const char *dtypeName(uint32_t dtype) {
  static const char *const names[] = {"unknown", "float32",  "float64", "int32", "int64",
                                      "bool",    "bfloat16", "float16", "uint8"};
  return names[dtype <= DLC_U8 ? dtype : 0];
}

std::string rowText(int64_t rank, const int64_t *shape) {
  std::string text;
  for (int64_t i = 1; i < rank; ++i)
    text += (i > 1 ? "x" : "") + std::to_string(shape[i]);
  return text.empty() ? "one number" : text;
}

/// What was probably meant by targets of other sizes.
static std::string hintFor(const dlc_input &input, int64_t has, int64_t wants) {
  if (!input.is_target)
    return "";
  if (input.is_index && wants == 1)
    return "; labels are the numbers of classes, as argmax(1) of one-hot rows gives them";
  return !input.is_index && has == 1
             ? "; labels, the numbers of classes, are for --loss=softmax-cross-entropy"
             : "";
}

void checkShape(const dlc_input &input, int64_t rank, const int64_t *shape, const std::string &place) {
  const std::vector<int64_t> has = rowSizes(rank, shape), wants = rowSizes(input.rank, input.shape);
  const bool isFlat = has.size() <= 1 || wants.size() <= 1;
  if (has != wants && !(isFlat && product(has) == product(wants)))
    throw Failure(place + ": each sample is " + rowText(rank, shape) + ", but input '" + input.name +
                  "' of the model takes " + rowText(input.rank, input.shape) +
                  hintFor(input, product(has), product(wants)));
}

Array fitTo(const dlc_input &input, Array array, const std::string &place) {
  checkShape(input, array->rank, array->shape, place);
  if (uint32_t(array->dtype) != input.dtype)
    array = converted(array, input.dtype, place);
  checkIndices(input, *array.get(), {place});
  array->rank = int32_t(input.rank);
  std::copy_n(input.shape + 1, input.rank - 1, array->shape + 1);
  return array;
}

void fitRow(const dlc_input &input, const dlc_array &row, void *to, const std::string &place,
            int64_t sample) {
  dlc_array out = row;
  out.dtype = int32_t(input.dtype);
  out.bytes = row.bytes / elementBytes(uint32_t(row.dtype)) * elementBytes(input.dtype);
  out.data = to;
  if (uint32_t(row.dtype) == input.dtype)
    std::memcpy(to, row.data, row.bytes);
  else
    convert(row, out, {place, sample});
  checkIndices(input, out, {place, sample});
}

} // namespace dlc::tool::training
