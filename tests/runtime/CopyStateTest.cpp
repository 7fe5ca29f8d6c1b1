//===- CopyStateTest.cpp --------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of an instance goes to another one, and to memory and back.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TempFolder.h"
#include "tests/runtime/TinyModel.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace {

/// A model like another one, with symbols and places of its own.
struct Changed {
  explicit Changed(const dlc_model &from)
      : symbols(from.symbols, from.symbols + from.symbol_count),
        placements(from.targets[0].placements, from.targets[0].placements + from.symbol_count), model(from),
        target(from.targets[0]) {
    model.symbols = symbols.data();
    model.targets = &target;
    model.target_count = 1;
    target.placements = placements.data();
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

/// Everything that save writes, as its bytes.
std::string saved(dlc_instance *instance) {
  size_t needed = 0, again = 0;
  EXPECT_EQ(dlc_instance_save_to_memory(instance, nullptr, 0, &needed), DLC_OK);
  std::string bytes(needed, '?');
  EXPECT_EQ(dlc_instance_save_to_memory(instance, bytes.data(), bytes.size(), &again), DLC_OK);
  EXPECT_EQ(again, needed);
  return bytes;
}

TEST(CopyState, TrainingGoesOnInTheCopyWithTheSameBits) {
  tiny::Instance straight, copy;
  ASSERT_EQ(dlc_instance_set_seed(straight, 99), DLC_OK);
  tiny::train(straight, 0, 20);
  ASSERT_EQ(dlc_instance_set_hyperparameter(straight, "learning_rate", 0.0625), DLC_OK);
  ASSERT_EQ(dlc_instance_copy_state(copy, straight), DLC_OK) << copy.lastError();
  EXPECT_EQ(saved(copy), saved(straight)) << "settings and random numbers included";
  EXPECT_EQ(dlc_instance_step_count(copy), 20);
  tiny::train(straight, 20, 5);
  EXPECT_NE(saved(copy), saved(straight)) << "two instances, not two names of one";
  tiny::train(copy, 20, 5);
  EXPECT_EQ(saved(copy), saved(straight));
}

TEST(CopyState, WhatStepsLeftIsGone) {
  tiny::Instance from, to;
  tiny::Batch data(0);
  float loss, gradient[6];
  ASSERT_EQ(dlc_instance_grad_step(to, data.pointers, &loss), DLC_OK);
  ASSERT_EQ(dlc_instance_copy_state(to, from), DLC_OK);
  EXPECT_EQ(dlc_instance_apply(to), DLC_UNAVAILABLE);
  EXPECT_EQ(dlc_instance_gradient_read(to, "fc.weight", gradient, sizeof gradient), DLC_UNAVAILABLE);
  EXPECT_EQ(dlc_instance_sync(to, &loss), DLC_UNAVAILABLE);
}

TEST(CopyState, GoesBetweenLayouts) {
  // The weight is stored transposed in the tiny model, and here as users see it; no step runs on it.
  Changed plain(tiny::model());
  bool isChanged = false;
  for (size_t i = 0; i < plain.symbols.size(); ++i)
    if (strcmp(plain.symbols[i].name, "fc.weight") == 0) {
      isChanged = plain.placements[i].permutation != nullptr;
      plain.placements[i].permutation = nullptr;
    }
  ASSERT_TRUE(isChanged);
  tiny::Instance from, other(plain.options());
  tiny::train(from, 0, 7);
  ASSERT_EQ(dlc_instance_copy_state(other, from), DLC_OK) << other.lastError();
  EXPECT_EQ(saved(other), saved(from));
  tiny::train(from, 7, 1);
  ASSERT_EQ(dlc_instance_copy_state(from, other), DLC_OK) << from.lastError();
  EXPECT_EQ(saved(other), saved(from));
}

TEST(CopyState, RefusesAnotherModel) {
  tiny::Instance mine;
  tiny::train(mine, 0, 3);
  const std::string before = saved(mine);
  Changed print(tiny::model()), name(tiny::model()), dtype(tiny::model());
  print.model.fingerprint ^= 1;
  name.symbols[0].name = "other";
  for (dlc_symbol &symbol : dtype.symbols)
    if (strcmp(symbol.name, "fc.bias") == 0)
      symbol.dtype = DLC_I32;
  for (const Changed *changed : {&name, &dtype}) {
    tiny::Instance other(changed->options());
    EXPECT_EQ(dlc_instance_copy_state(mine, other), DLC_INVALID_ARGUMENT);
    EXPECT_NE(mine.lastError().find("names, shapes or dtypes of the two differ"), std::string::npos)
        << mine.lastError();
  }
  dlc_instance *other = nullptr;
  ASSERT_EQ(dlc_instance_create(&print.model, DLC_ABI_VERSION, print.model.fingerprint, nullptr, &other),
            DLC_OK);
  EXPECT_EQ(dlc_instance_copy_state(mine, other), DLC_INVALID_ARGUMENT);
  dlc_instance_destroy(other);
  EXPECT_EQ(saved(mine), before);
}

TEST(CopyState, RefusesWhatIsNoOther) {
  tiny::Instance mine;
  EXPECT_EQ(dlc_instance_copy_state(nullptr, mine), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_copy_state(mine, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_NE(mine.lastError().find("is NULL"), std::string::npos) << mine.lastError();
  EXPECT_EQ(dlc_instance_copy_state(mine, mine), DLC_INVALID_ARGUMENT);
  EXPECT_NE(mine.lastError().find("is the one to copy to"), std::string::npos) << mine.lastError();
  tiny::train(mine, 0, 1); // not held for ever
}

TEST(CopyState, ACheckedInstanceTakesNoNan) {
  tiny::Options options;
  options.checkFinite = true;
  tiny::Instance from, checked(options), unchecked;
  const float bad[] = {1, std::numeric_limits<float>::quiet_NaN()};
  ASSERT_EQ(dlc_instance_parameter_write(from, "fc.bias", bad, sizeof bad), DLC_OK);
  const std::vector<float> before = checked.state();
  EXPECT_EQ(dlc_instance_copy_state(checked, from), DLC_NOT_FINITE);
  EXPECT_NE(checked.lastError().find("'fc.bias'"), std::string::npos) << checked.lastError();
  EXPECT_EQ(checked.state(), before);
  EXPECT_EQ(dlc_instance_copy_state(unchecked, from), DLC_OK);
  EXPECT_TRUE(std::isnan(unchecked.read("fc.bias")[1]));
}

TEST(SaveToMemory, HasTheBytesOfTheFile) {
  TempFolder folder;
  tiny::Instance instance;
  tiny::train(instance, 0, 5);
  ASSERT_EQ(dlc_instance_save(instance, folder.file("state").c_str()), DLC_OK);
  EXPECT_EQ(saved(instance), TempFolder::readAll(folder.file("state")));

  ASSERT_EQ(dlc_instance_save_weights(instance, folder.file("weights").c_str()), DLC_OK);
  size_t needed = 0;
  ASSERT_EQ(dlc_instance_save_weights_to_memory(instance, nullptr, 0, &needed), DLC_OK);
  std::string bytes(needed, '?');
  ASSERT_EQ(dlc_instance_save_weights_to_memory(instance, bytes.data(), needed, &needed), DLC_OK);
  EXPECT_EQ(bytes, TempFolder::readAll(folder.file("weights")));
}

TEST(SaveToMemory, WritesNothingBeyondAndNothingTooShort) {
  tiny::Instance instance;
  const std::string expected = saved(instance);
  std::string buffer(expected.size() + 8, '#');
  size_t needed = 0;
  ASSERT_EQ(dlc_instance_save_to_memory(instance, buffer.data(), buffer.size(), &needed), DLC_OK);
  EXPECT_EQ(buffer, expected + "########");
  buffer.assign(expected.size(), '#');
  needed = 0;
  EXPECT_EQ(dlc_instance_save_to_memory(instance, buffer.data(), expected.size() - 1, &needed),
            DLC_INVALID_ARGUMENT);
  EXPECT_EQ(needed, expected.size());
  EXPECT_EQ(buffer, std::string(expected.size(), '#'));
  EXPECT_NE(instance.lastError().find("expected at least " + std::to_string(expected.size())),
            std::string::npos)
      << instance.lastError();
  EXPECT_EQ(dlc_instance_save_to_memory(instance, nullptr, 10, &needed), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_save_to_memory(instance, buffer.data(), buffer.size(), nullptr),
            DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_save_to_memory(nullptr, buffer.data(), buffer.size(), &needed),
            DLC_INVALID_ARGUMENT);
  EXPECT_EQ(needed, 0u);
}

TEST(LoadFromMemory, GoesOnWithTheSameBits) {
  tiny::Instance straight, other;
  tiny::train(straight, 0, 9);
  const std::string bytes = saved(straight);
  ASSERT_EQ(dlc_instance_load_from_memory(other, bytes.data(), bytes.size()), DLC_OK) << other.lastError();
  tiny::train(straight, 9, 3);
  tiny::train(other, 9, 3);
  EXPECT_EQ(saved(other), saved(straight));
}

TEST(LoadFromMemory, RefusesEveryShorterOne) {
  tiny::Instance instance;
  tiny::train(instance, 0, 2);
  const std::string bytes = saved(instance);
  tiny::train(instance, 2, 2);
  const std::vector<float> before = instance.state();
  for (size_t length = 0; length < bytes.size(); ++length) {
    std::vector<char> exact(bytes.begin(),
                            bytes.begin() + static_cast<std::ptrdiff_t>(length)); // nothing behind
    ASSERT_EQ(dlc_instance_load_from_memory(instance, length ? exact.data() : "", length), DLC_BAD_FILE)
        << length;
    ASSERT_NE(instance.lastError().find("the memory to load from: "), std::string::npos)
        << instance.lastError();
  }
  EXPECT_EQ(dlc_instance_load_from_memory(instance, nullptr, 4), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.state(), before);
}

} // namespace
