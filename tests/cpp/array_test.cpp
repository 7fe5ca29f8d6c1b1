//===- array_test.cpp - arrays, and what is taken out of arrays that are gone -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/array.h"
#include <gtest/gtest.h>

using namespace dlc;

namespace {

// A span of the elements of an array without a name would point at memory that is freed at the end of the
// line.
template <typename A>
concept HasSpanOfValues =
    requires(A array) { std::span<const float>(static_cast<A &&>(array).template values<float>()); };
template <typename A>
concept HasSpanOfBytes = requires(A array) { std::span<const std::byte>(static_cast<A &&>(array).bytes()); };
static_assert(HasSpanOfValues<Array &> && HasSpanOfValues<const Array &>);
static_assert(HasSpanOfBytes<Array &> && HasSpanOfBytes<const Array &>);
static_assert(!HasSpanOfValues<Array> && !HasSpanOfValues<const Array>);
static_assert(!HasSpanOfBytes<Array> && !HasSpanOfBytes<const Array>);
static_assert(std::same_as<decltype(std::declval<Array>().shape()), std::vector<int64_t>>);
static_assert(std::same_as<decltype(std::declval<View>().shape()), std::vector<int64_t>>);
// Nor is there a reference to an element of a list without a name.
using Named = std::pair<std::string, Array>;
static_assert(std::same_as<decltype(std::declval<List<Array>>()[0]), Array>);
static_assert(std::same_as<decltype(std::declval<List<Array>>().at(0)), Array>);
static_assert(std::same_as<decltype(std::declval<List<Array>>().front()), Array>);
static_assert(std::same_as<decltype(std::declval<StateDict>().back()), Named>);
static_assert(std::same_as<decltype(std::declval<List<Array> &>()[0]), Array &>);

Array made() { return Array(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3}); }
List<Array> several() { return std::vector<Array>{made(), Array(std::vector<int64_t>{7}, {1})}; }

TEST(Arrays, WithoutANameGiveCopies) {
  const auto values = made().values<float>();
  ASSERT_EQ(values.size(), 6u);
  EXPECT_EQ(values[4], 5);
  EXPECT_EQ(std::vector<float>(values), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  float sum = 0;
  for (float value : made().values<float>())
    sum += value;
  EXPECT_EQ(sum, 21);
  EXPECT_EQ(made().shape(), (std::vector<int64_t>{2, 3}));
  const auto &shape = made().shape();
  EXPECT_EQ(shape[1], 3);
  EXPECT_EQ(several()[1].values<int64_t>()[0], 7);
  EXPECT_EQ(several().at(1).values<int64_t>()[0], 7);
  EXPECT_EQ(several().front().values<float>()[5], 6);
  const auto last = several().back().values<int64_t>();
  EXPECT_EQ(last[0], 7);
  Array flags(DType::Bool, {2});
  flags.values<bool>()[1] = true;
  const auto truths = std::move(flags).values<bool>();
  EXPECT_TRUE(!truths[0] && truths[1]);
}

TEST(Arrays, WithANameGiveTheirMemory) {
  Array array = made();
  array.values<float>()[2] = 9;
  EXPECT_EQ(std::as_const(array).values<float>()[2], 9);
  List<Array> list = several();
  list[0].values<float>()[0] = 8;
  EXPECT_EQ(std::as_const(list)[0].values<float>()[0], 8);
  const std::vector<Array> plain = several(); // is one, too
  EXPECT_EQ(plain.size(), 2u);
}

TEST(Arrays, NamesOfDtypes) {
  EXPECT_STREQ(name_of(DType::Float32), "float32");
  EXPECT_STREQ(name_of(DType::BFloat16), "bfloat16");
  EXPECT_STREQ(name_of(DType::Bool), "bool");
}

} // namespace
