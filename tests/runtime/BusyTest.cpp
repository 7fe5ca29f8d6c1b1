//===- BusyTest.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls while others run: of the same instance, of others, and within a call.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TinyModel.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace {

/// A model whose predict blocks until the test lets it go.
std::atomic<int> inside{0};
std::atomic<bool> letGo{false};
void blockingPredict(void *const *, const int64_t *, int64_t, int64_t) {
  ++inside;
  while (!letGo)
    std::this_thread::yield();
}

TEST(Busy, ASecondThreadIsRefusedNotRaced) {
  tiny::OtherTables tables;
  tables.replace(DLC_PREDICT, blockingPredict);
  tiny::Options options;
  options.model = &tables.model;
  tiny::Instance instance(options), independent;
  tiny::Batch data(0);
  float scores[8], weight[6];
  void *outputs[] = {nullptr, scores, nullptr, nullptr, nullptr};
  std::thread first(
      [&] { EXPECT_EQ(dlc_instance_predict(instance, 4, nullptr, data.pointers, outputs), DLC_OK); });
  while (inside == 0)
    std::this_thread::yield();
  EXPECT_EQ(dlc_instance_train_step(instance, data.pointers, nullptr), DLC_BUSY);
  EXPECT_EQ(dlc_instance_parameter_read(instance, "fc.weight", weight, sizeof weight), DLC_BUSY);
  EXPECT_EQ(dlc_instance_save(instance, "/nonexistent"), DLC_BUSY);
  EXPECT_EQ(dlc_instance_train_step(independent, data.pointers, nullptr), DLC_OK);
  letGo = true;
  first.join();
  EXPECT_EQ(dlc_instance_train_step(instance, data.pointers, nullptr), DLC_OK);
}

TEST(Busy, EveryCallIsRefusedWhileAnotherRuns) {
  tiny::OtherTables tables;
  tables.replace(DLC_PREDICT, blockingPredict);
  tiny::Options options;
  options.model = &tables.model;
  tiny::Instance instance(options), other(options);
  tiny::Batch data(0);
  size_t needed;
  ASSERT_EQ(dlc_instance_grad_step(instance, data.pointers, nullptr), DLC_OK); // so that apply would run
  const std::vector<float> before = instance.state();
  float scores[8], weight[6] = {}, flat[8] = {}, loss;
  double value;
  void *outputs[] = {nullptr, scores, nullptr, nullptr, nullptr}, *view;
  dlc_metrics metrics;
  inside = 0;
  letGo = false;
  std::thread first(
      [&] { EXPECT_EQ(dlc_instance_predict(instance, 4, nullptr, data.pointers, outputs), DLC_OK); });
  while (inside == 0)
    std::this_thread::yield();
  const std::string file = testing::TempDir() + "dlc-busy";
  const std::pair<const char *, dlc_status> calls[] = {
      {"train_step", dlc_instance_train_step(instance, data.pointers, &loss)},
      {"grad_step", dlc_instance_grad_step(instance, data.pointers, &loss)},
      {"accumulate", dlc_instance_accumulate(instance, data.pointers, &loss)},
      {"apply", dlc_instance_apply(instance)},
      {"sync", dlc_instance_sync(instance, &loss)},
      {"eval_step", dlc_instance_eval_step(instance, 4, data.pointers, &metrics)},
      {"save", dlc_instance_save(instance, file.c_str())},
      {"load", dlc_instance_load(instance, file.c_str())},
      {"save_to_memory", dlc_instance_save_to_memory(instance, weight, sizeof weight, &needed)},
      {"save_weights_to_memory",
       dlc_instance_save_weights_to_memory(instance, weight, sizeof weight, &needed)},
      {"load_from_memory", dlc_instance_load_from_memory(instance, weight, sizeof weight)},
      {"copy_state to it", dlc_instance_copy_state(instance, other)},
      {"copy_state from it", dlc_instance_copy_state(other, instance)},
      {"parameters_read_all", dlc_instance_parameters_read_all(instance, flat, 8, 1)},
      {"parameters_write_all", dlc_instance_parameters_write_all(instance, flat, 8, 1)},
      {"gradients_read_all", dlc_instance_gradients_read_all(instance, flat, 8)},
      {"gradients_write_all", dlc_instance_gradients_write_all(instance, flat, 8)},
      {"set_hyperparameter", dlc_instance_set_hyperparameter(instance, "learning_rate", 0.5)},
      {"get_hyperparameter", dlc_instance_get_hyperparameter(instance, "learning_rate", &value)},
      {"set_seed", dlc_instance_set_seed(instance, 3)},
      {"parameter_read", dlc_instance_parameter_read(instance, "fc.weight", weight, sizeof weight)},
      {"parameter_write", dlc_instance_parameter_write(instance, "fc.weight", weight, sizeof weight)},
      {"parameter_view", dlc_instance_parameter_view(instance, "fc.bias", &view)},
      {"gradient_read", dlc_instance_gradient_read(instance, "fc.weight", weight, sizeof weight)}};
  for (const auto &[name, status] : calls)
    EXPECT_EQ(status, DLC_BUSY) << name;
  letGo = true;
  first.join();
  EXPECT_EQ(dlc_instance_copy_state(other, instance), DLC_OK) << "neither of them is held any longer";
  EXPECT_EQ(instance.lastError(), "") << "what is refused leaves no sentence either";
  EXPECT_EQ(instance.state(), before);
  EXPECT_EQ(dlc_instance_get_hyperparameter(instance, "learning_rate", &value), DLC_OK);
  EXPECT_NE(value, 0.5);
}

TEST(Busy, PredictIsRefusedWhilePredictRuns) {
  tiny::OtherTables tables;
  tables.replace(DLC_PREDICT, blockingPredict);
  tiny::Options options;
  options.model = &tables.model;
  tiny::Instance instance(options);
  tiny::Batch data(0);
  float scores[8];
  void *outputs[] = {nullptr, scores, nullptr, nullptr, nullptr};
  inside = 0;
  letGo = false;
  std::atomic<int> refused{0};
  auto predict = [&] {
    if (dlc_instance_predict(instance, 4, nullptr, data.pointers, outputs) == DLC_BUSY) {
      ++refused;
      letGo = true;
    }
  };
  std::thread first(predict), second(predict); // one runs until the other is refused, or both are inside
  while (!letGo && inside < 2)
    std::this_thread::yield();
  letGo = true;
  first.join();
  second.join();
  EXPECT_EQ(inside, 1);
  EXPECT_EQ(refused, 1);
}

/// A model whose predict trains another instance: a host may do so from its own callbacks.
dlc_instance *innerInstance = nullptr;
void trainInner(void *const *, const int64_t *, int64_t, int64_t) { tiny::train(innerInstance, 0, 5); }

TEST(Busy, AnInstanceMayRunInsideACallOfAnother) {
  tiny::OtherTables tables;
  tables.replace(DLC_PREDICT, trainInner);
  tiny::Options options;
  options.threads = 2;
  options.model = &tables.model;
  tiny::Instance outer(options), inner(options), expected;
  innerInstance = inner;
  tiny::Batch data(0);
  float scores[8];
  void *outputs[] = {nullptr, scores, nullptr, nullptr, nullptr};
  ASSERT_EQ(dlc_instance_predict(outer, 4, nullptr, data.pointers, outputs), DLC_OK);
  tiny::train(expected, 0, 5);
  EXPECT_EQ(inner.state(), expected.state());
}

} // namespace
