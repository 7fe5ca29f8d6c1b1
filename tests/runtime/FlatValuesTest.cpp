//===- FlatValuesTest.cpp -------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All parameters, or all gradients, as one array.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TinyModel.h"

#include <gtest/gtest.h>

namespace {

constexpr int64_t weights = tiny::inputs * tiny::outputs, trained = weights + tiny::outputs,
                  all = trained + tiny::outputs;

std::vector<float> together(const tiny::Instance &instance, std::initializer_list<const char *> names) {
  std::vector<float> values;
  for (const char *name : names)
    for (float value : instance.read(name))
      values.push_back(value);
  return values;
}

/// The tiny model with other dtypes, no step of which runs: each of its tensors has room for doubles.
struct OtherDtypes {
  OtherDtypes(std::initializer_list<std::pair<const char *, dlc_dtype>> changes)
      : symbols(tiny::model().symbols, tiny::model().symbols + tiny::model().symbol_count),
        placements(tiny::model().targets[0].placements,
                   tiny::model().targets[0].placements + tiny::model().symbol_count),
        model(tiny::model()), target(tiny::model().targets[0]) {
    for (auto [name, dtype] : changes)
      for (size_t i = 0; i < symbols.size(); ++i)
        if (std::string(symbols[i].name) == name) {
          symbols[i].dtype = static_cast<uint32_t>(dtype);
          symbols[i].initial = nullptr;
          placements[i].bytes = bytesOf(symbols[i]);
        }
    model.symbols = symbols.data();
    model.targets = &target;
    target.placements = placements.data();
  }
  static uint64_t bytesOf(const dlc_symbol &symbol) {
    uint64_t bytes = symbol.dtype == DLC_F64 || symbol.dtype == DLC_I64 ? 8 : 4;
    for (uint32_t i = 0; i < symbol.rank; ++i)
      bytes *= static_cast<uint64_t>(symbol.shape[i]);
    return bytes;
  }
  tiny::Options options() const {
    tiny::Options result;
    result.model = &model;
    return result;
  }

  std::vector<dlc_symbol> symbols;
  std::vector<dlc_placement> placements;
  dlc_model model;
  dlc_target target;
};

TEST(FlatValues, ReadsAllParametersInOrder) {
  tiny::Instance instance;
  tiny::train(instance, 0, 3);
  ASSERT_EQ(dlc_instance_parameters_count(instance, 0), all);
  ASSERT_EQ(dlc_instance_parameters_count(instance, 1), trained);
  EXPECT_EQ(dlc_instance_parameters_count(nullptr, 0), 0);
  std::vector<float> values(all + 1, -77), some(trained + 1, -77);
  ASSERT_EQ(dlc_instance_parameters_read_all(instance, values.data(), all, 0), DLC_OK);
  ASSERT_EQ(dlc_instance_parameters_read_all(instance, some.data(), trained, 1), DLC_OK);
  EXPECT_EQ(values.back(), -77) << "nothing is written beyond";
  EXPECT_EQ(some.back(), -77);
  values.pop_back();
  some.pop_back();
  EXPECT_EQ(values, together(instance, {"fc.weight", "fc.bias", "norm.mean"}));
  EXPECT_EQ(some, together(instance, {"fc.weight", "fc.bias"}));
}

TEST(FlatValues, WritesWhatItReads) {
  tiny::Instance from, to;
  tiny::train(from, 0, 5);
  std::vector<float> values(all);
  ASSERT_EQ(dlc_instance_parameters_read_all(from, values.data(), all, 0), DLC_OK);
  ASSERT_EQ(dlc_instance_parameters_write_all(to, values.data(), all, 0), DLC_OK);
  EXPECT_EQ(together(to, {"fc.weight", "fc.bias", "norm.mean"}), values);
  const std::vector<float> mean = to.read("norm.mean");
  for (int64_t i = 0; i < trained; ++i)
    values[static_cast<size_t>(i)] = static_cast<float>(i);
  ASSERT_EQ(dlc_instance_parameters_write_all(to, values.data(), trained, 1), DLC_OK);
  EXPECT_EQ(to.read("fc.weight"), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(to.read("fc.bias"), (std::vector<float>{6, 7}));
  EXPECT_EQ(to.read("norm.mean"), mean) << "a running statistic is not trained";
}

TEST(FlatValues, FrozenParametersAreNotTrained) {
  OtherDtypes other({});
  other.symbols[0].trainable = 0;
  tiny::Instance instance(other.options());
  ASSERT_EQ(dlc_instance_parameters_count(instance, 1), tiny::outputs);
  ASSERT_EQ(dlc_instance_parameters_count(instance, 0), all);
  const std::vector<float> weight = instance.read("fc.weight");
  const float bias[] = {3, 4};
  ASSERT_EQ(dlc_instance_parameters_write_all(instance, bias, 2, 1), DLC_OK);
  EXPECT_EQ(instance.read("fc.weight"), weight);
  EXPECT_EQ(instance.read("fc.bias"), (std::vector<float>{3, 4}));
}

TEST(FlatValues, GradientsGoOutAndIn) {
  tiny::Instance straight, instance;
  tiny::Batch data(0);
  float values[trained] = {};
  EXPECT_EQ(dlc_instance_gradients_read_all(instance, values, trained), DLC_UNAVAILABLE);
  EXPECT_EQ(instance.lastError(), "tiny: no gradients yet, call grad_step first");
  ASSERT_EQ(dlc_instance_grad_step(instance, data.pointers, nullptr), DLC_OK);
  ASSERT_EQ(dlc_instance_gradients_read_all(instance, values, trained), DLC_OK);
  float weight[weights], bias[tiny::outputs];
  ASSERT_EQ(dlc_instance_gradient_read(instance, "fc.weight", weight, sizeof weight), DLC_OK);
  ASSERT_EQ(dlc_instance_gradient_read(instance, "fc.bias", bias, sizeof bias), DLC_OK);
  EXPECT_TRUE(std::equal(weight, weight + weights, values));
  EXPECT_TRUE(std::equal(bias, bias + tiny::outputs, values + weights));

  // Another instance that has computed none takes them, and makes the step of the first.
  tiny::Instance other;
  ASSERT_EQ(dlc_instance_gradients_write_all(other, values, trained), DLC_OK);
  double norm = 0;
  EXPECT_EQ(dlc_instance_grad_norm(other, &norm), DLC_OK);
  EXPECT_GT(norm, 0);
  ASSERT_EQ(dlc_instance_apply(other), DLC_OK) << other.lastError();
  ASSERT_EQ(dlc_instance_train_step(straight, data.pointers, nullptr), DLC_OK);
  EXPECT_EQ(other.read("fc.weight"), straight.read("fc.weight"));
  EXPECT_EQ(other.read("fc.bias"), straight.read("fc.bias"));
}

TEST(FlatValues, AGradientIsFoundByItsWholeName) {
  OtherDtypes other({});
  for (dlc_symbol &symbol : other.symbols)
    if (const std::string name = symbol.name; name == "fc.bias" || name == "fc.bias.grad")
      symbol.name = name == "fc.bias" ? "fc" : "fc.grad"; // with which that of fc.weight begins
  other.symbols[0].trainable = 0;
  tiny::Instance instance(other.options());
  const float given[] = {3, 4};
  float weight[weights], bias[2];
  ASSERT_EQ(dlc_instance_gradients_write_all(instance, given, 2), DLC_OK) << instance.lastError();
  ASSERT_EQ(dlc_instance_gradient_read(instance, "fc", bias, sizeof bias), DLC_OK);
  ASSERT_EQ(dlc_instance_gradient_read(instance, "fc.weight", weight, sizeof weight), DLC_OK);
  EXPECT_EQ(bias[0], 3);
  EXPECT_EQ(bias[1], 4);
  EXPECT_EQ(weight[0], 0);
}

TEST(FlatValues, ErrorsSayWhatIsWrongAndChangeNothing) {
  tiny::Instance instance;
  const std::vector<float> before = instance.state();
  float values[all] = {};
  for (int64_t count : {all - 1, all + 1, int64_t{0}, int64_t{-1}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(dlc_instance_parameters_read_all(instance, values, count, 0), DLC_INVALID_ARGUMENT) << count;
    EXPECT_EQ(dlc_instance_parameters_write_all(instance, values, count, 0), DLC_INVALID_ARGUMENT) << count;
  }
  EXPECT_EQ(dlc_instance_parameters_write_all(instance, values, all, 1), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "tiny: all trained parameters are 8 numbers; the array has 10");
  EXPECT_EQ(dlc_instance_parameters_write_all(instance, nullptr, all, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "tiny: the array of all parameters and buffers is NULL");
  EXPECT_EQ(dlc_instance_parameters_read_all(instance, nullptr, all, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_gradients_write_all(instance, values, all), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(),
            "tiny: the gradients of all trained parameters are 8 numbers; the array has 10");
  EXPECT_EQ(dlc_instance_gradients_write_all(instance, nullptr, trained), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_apply(instance), DLC_UNAVAILABLE) << "what was refused has left no gradients";
  EXPECT_EQ(dlc_instance_parameters_read_all(nullptr, values, all, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_parameters_write_all(nullptr, values, all, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_gradients_read_all(nullptr, values, trained), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_gradients_write_all(nullptr, values, trained), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.state(), before);
}

TEST(FlatValues, FloatsAmongDoublesAreRounded) {
  OtherDtypes mixed({{"fc.bias", DLC_F64}, {"fc.bias.grad", DLC_F64}});
  tiny::Instance instance(mixed.options());
  std::vector<double> values(all), back(all + 1, -77);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 0.1 * static_cast<double>(i + 1);
  ASSERT_EQ(dlc_instance_parameters_write_all(instance, values.data(), all, 0), DLC_OK);
  ASSERT_EQ(dlc_instance_parameters_read_all(instance, back.data(), all, 0), DLC_OK);
  EXPECT_EQ(back[all], -77) << "nothing is written beyond";
  for (size_t i = 0; i < values.size(); ++i) {
    const bool isDouble = i >= weights && i < trained;
    EXPECT_EQ(back[i], isDouble ? values[i] : static_cast<double>(static_cast<float>(values[i]))) << i;
  }
  ASSERT_EQ(dlc_instance_gradients_write_all(instance, values.data(), trained), DLC_OK);
  ASSERT_EQ(dlc_instance_gradients_read_all(instance, back.data(), trained), DLC_OK);
  EXPECT_EQ(back[weights], values[weights]);
  EXPECT_EQ(back[1], static_cast<double>(static_cast<float>(values[1])));
}

TEST(FlatValues, IntegersHaveNoPart) {
  OtherDtypes counts({{"norm.mean", DLC_I32}});
  tiny::Instance instance(counts.options());
  EXPECT_EQ(dlc_instance_parameters_count(instance, 0), trained);
  std::vector<float> values(trained);
  ASSERT_EQ(dlc_instance_parameters_read_all(instance, values.data(), trained, 0), DLC_OK);
  EXPECT_EQ(values, together(instance, {"fc.weight", "fc.bias"}));
}

} // namespace
