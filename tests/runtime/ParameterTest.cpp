//===- ParameterTest.cpp --------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access by name: parameters in logical order, views, hyperparameters, seeds.
//===----------------------------------------------------------------------===//
#include "runtime/core/Layout.h"
#include "tests/runtime/TinyModel.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace {

TEST(Parameters, ListsParametersAndBuffers) {
  tiny::Instance instance;
  ASSERT_EQ(dlc_instance_parameter_count(instance), 3);
  dlc_parameter_info info;
  ASSERT_EQ(dlc_instance_parameter_info(instance, 0, &info), DLC_OK);
  EXPECT_STREQ(info.name, "fc.weight");
  EXPECT_EQ(info.dtype, DLC_F32);
  EXPECT_EQ(info.rank, 2);
  EXPECT_EQ(info.shape[0], 3);
  EXPECT_EQ(info.bytes, 24u);
  EXPECT_EQ(info.trainable, 1);
  ASSERT_EQ(dlc_instance_parameter_info(instance, 2, &info), DLC_OK);
  EXPECT_STREQ(info.name, "norm.mean");
  EXPECT_EQ(info.is_buffer, 1);
  EXPECT_EQ(info.trainable, 0);
  for (int64_t index : {int64_t{3}, int64_t{-1}, INT64_MAX})
    EXPECT_EQ(dlc_instance_parameter_info(instance, index, &info), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(info.name, nullptr);
  EXPECT_EQ(dlc_instance_parameter_count(nullptr), 0);
}

TEST(Parameters, WriteThenReadGivesTheSame) {
  tiny::Instance instance;
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  ASSERT_EQ(dlc_instance_parameter_write(instance, "fc.weight", values.data(), 24), DLC_OK);
  EXPECT_EQ(instance.read("fc.weight"), values);
}

TEST(Parameters, ErrorsSayWhatIsWrong) {
  tiny::Instance instance;
  float buffer[6] = {};
  EXPECT_EQ(dlc_instance_parameter_read(instance, "fc.weigth", buffer, 24), DLC_NOT_FOUND);
  EXPECT_EQ(instance.lastError(), "tiny has no parameter 'fc.weigth'");
  EXPECT_EQ(dlc_instance_parameter_read(instance, "fc.weight", buffer, 20), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "'fc.weight' is F32 [3, 2], 24 bytes; the buffer has 20");
  EXPECT_EQ(dlc_instance_parameter_write(instance, "fc.weight", buffer, 28), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_parameter_write(instance, "fc.weight", nullptr, 24), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_parameter_read(instance, nullptr, buffer, 24), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_parameter_write(instance, "learning_rate", buffer, 8), DLC_NOT_FOUND);
  EXPECT_EQ(dlc_instance_gradient_read(nullptr, "fc.weight", buffer, 24), DLC_INVALID_ARGUMENT);
}

TEST(Parameters, ViewsOnlyWhatIsStoredAsTheUserSeesIt) {
  tiny::Instance instance;
  void *data = nullptr;
  ASSERT_EQ(dlc_instance_parameter_view(instance, "fc.bias", &data), DLC_OK);
  static_cast<float *>(data)[1] = 4;
  EXPECT_EQ(instance.read("fc.bias"), (std::vector<float>{0, 4}));
  EXPECT_EQ(dlc_instance_parameter_view(instance, "fc.weight", &data), DLC_UNAVAILABLE);
  EXPECT_EQ(data, nullptr);
}

TEST(Parameters, ReadsToMisalignedMemory) {
  tiny::Instance instance;
  char buffer[25];
  ASSERT_EQ(dlc_instance_parameter_read(instance, "fc.weight", buffer + 1, 24), DLC_OK);
  float first;
  std::copy(buffer + 1, buffer + 5, reinterpret_cast<char *>(&first));
  EXPECT_EQ(first, 0.5f);
}

TEST(Hyperparameters, SetAndGet) {
  tiny::Instance instance;
  double value = 1;
  EXPECT_EQ(dlc_instance_set_hyperparameter(instance, "learning_rate", 0.25), DLC_OK);
  EXPECT_EQ(dlc_instance_get_hyperparameter(instance, "learning_rate", &value), DLC_OK);
  EXPECT_EQ(value, 0.25);
  EXPECT_EQ(dlc_instance_get_hyperparameter(instance, "weight_decay", &value), DLC_NOT_FOUND);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(dlc_instance_get_hyperparameter(instance, "learning_rate", nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "where to write the value is NULL");
  EXPECT_EQ(dlc_instance_parameter_view(instance, "fc.weight", nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "where to write the address is NULL");
}

TEST(Hyperparameters, RefusesWhatIsOutOfRange) {
  tiny::Instance instance;
  // The description allows rates from 0 up to 1000: 1e300, say, would be infinite in the weights' dtype.
  for (double bad : {std::nan(""), -0.1, 1e300, 1000.0, static_cast<double>(INFINITY)})
    EXPECT_EQ(dlc_instance_set_hyperparameter(instance, "learning_rate", bad), DLC_INVALID_ARGUMENT) << bad;
  EXPECT_EQ(instance.lastError(), "learning_rate is inf, expected at least 0 and less than 1000");
  double value;
  ASSERT_EQ(dlc_instance_get_hyperparameter(instance, "learning_rate", &value), DLC_OK);
  EXPECT_EQ(value, 0.05);
  EXPECT_EQ(dlc_instance_set_hyperparameter(instance, "momentum", 1), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "momentum is 1, expected at least 0 and less than 1");
  EXPECT_EQ(dlc_instance_set_hyperparameter(instance, "momentum", 0.999), DLC_OK);
}

TEST(Hyperparameters, ChangesTheUpdate) {
  tiny::Instance instance;
  const std::vector<float> before = instance.read("fc.weight");
  ASSERT_EQ(dlc_instance_set_hyperparameter(instance, "learning_rate", 0), DLC_OK);
  tiny::train(instance, 0, 3);
  EXPECT_EQ(instance.read("fc.weight"), before);
}

TEST(Layout, AnyPermutationOfAnyWidthIsUndone) {
  const int64_t shape[] = {3, 4, 5, 2};
  int32_t permutation[] = {0, 1, 2, 3};
  do {
    for (uint32_t dtype : {DLC_BOOL, DLC_BF16, DLC_I32, DLC_F64}) {
      dlc_symbol symbol = {};
      symbol.dtype = dtype;
      symbol.rank = 4;
      symbol.shape = shape;
      dlc_placement placement = {};
      placement.permutation = permutation;
      const size_t bytes = dlc::runtime::logicalBytes(symbol), width = bytes / 120;
      std::vector<unsigned char> logical(bytes), physical(bytes), back(bytes);
      std::iota(logical.begin(), logical.end(), static_cast<unsigned char>(1));
      dlc::runtime::logicalToPhysical(symbol, placement, logical.data(), physical.data());
      int64_t index[4]; // check against the definition, element by element
      for (index[0] = 0; index[0] < 3; ++index[0])
        for (index[1] = 0; index[1] < 4; ++index[1])
          for (index[2] = 0; index[2] < 5; ++index[2])
            for (index[3] = 0; index[3] < 2; ++index[3]) {
              int64_t from = 0, to = 0;
              for (int i = 0; i < 4; ++i) {
                from = from * shape[i] + index[i];
                to = to * shape[permutation[i]] + index[permutation[i]];
              }
              ASSERT_TRUE(std::equal(&logical[static_cast<size_t>(from) * width],
                                     &logical[static_cast<size_t>(from) * width] + width,
                                     &physical[static_cast<size_t>(to) * width]));
            }
      dlc::runtime::physicalToLogical(symbol, placement, physical.data(), back.data());
      ASSERT_EQ(back, logical);
    }
  } while (std::next_permutation(permutation, permutation + 4));
}

TEST(Layout, PanelsAreUndone) {
  const int64_t shape[] = {6, 4, 8}; // its dims in memory: 4, 8, 6, and the last in panels of 2
  const int32_t permutation[] = {1, 2, 0};
  dlc_symbol symbol = {};
  symbol.dtype = DLC_I32;
  symbol.rank = 3;
  symbol.shape = shape;
  dlc_placement placement = {};
  placement.permutation = permutation;
  placement.panel = 2;
  std::vector<int32_t> logical(192), physical(192), back(192);
  std::iota(logical.begin(), logical.end(), 1);
  dlc::runtime::logicalToPhysical(symbol, placement, logical.data(), physical.data());
  for (int64_t a = 0; a < 6; ++a)
    for (int64_t b = 0; b < 4; ++b)
      for (int64_t c = 0; c < 8; ++c)
        ASSERT_EQ(physical[static_cast<size_t>(((a / 2 * 4 + b) * 8 + c) * 2 + a % 2)],
                  logical[static_cast<size_t>((a * 4 + b) * 8 + c)]);
  dlc::runtime::physicalToLogical(symbol, placement, physical.data(), back.data());
  EXPECT_EQ(back, logical);
}

} // namespace
