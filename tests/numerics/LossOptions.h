//===- LossOptions.h - a loss and its options, from a stored case ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_LOSSOPTIONS_H
#define DLC_TESTS_NUMERICS_LOSSOPTIONS_H

#include "dialects/train/RecipeSettings.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

namespace dlc::numerics {

/// A file that goes away with the test.
class NumberFile {
public:
  explicit NumberFile(const llvm::json::Array &numbers) {
    int descriptor = -1;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("weights", "txt", descriptor, path));
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    for (const llvm::json::Value &number : numbers)
      stream << llvm::formatv("{0:e17}\n", *number.getAsNumber());
  }
  ~NumberFile() { llvm::sys::fs::remove(path); }
  std::string str() const { return path.str().str(); }

private:
  llvm::SmallString<64> path;
};

/// Of {"loss": ..., "options": {...}}, with the names of `dlc compile`'s flags.
class LossOptions {
public:
  explicit LossOptions(const llvm::json::Object &test) {
    const llvm::json::Object &given = *test.getObject("options");
    ignoreIndex = given.getInteger("ignore-index").value_or(-100);
    labelType = given.getString("label-type").value_or("i64").str();
    recipe = {{"loss", test.getString("loss")->str()},
              {"reduction", given.getString("reduction")->str()},
              {"ignore_index", std::to_string(ignoreIndex)},
              {"label_smoothing", train::textOf(given.getNumber("label-smoothing").value_or(0))},
              {"label_type", labelType},
              {"delta", train::textOf(given.getNumber("huber-delta").value_or(1))}};
    if (const llvm::json::Array *numbers = given.getArray("class-weights")) {
      weights.emplace(*numbers);
      recipe.emplace_back("class_weights", weights->str());
    }
  }
  LossOptions(const LossOptions &) = delete;

  train::RecipeSettings recipe;
  int64_t ignoreIndex;
  std::string labelType;

private:
  std::optional<NumberFile> weights;
};

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_LOSSOPTIONS_H
