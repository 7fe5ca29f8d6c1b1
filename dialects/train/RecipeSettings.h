//===- RecipeSettings.h - settings of a recipe, as texts -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a command line or a description says before there is a program: names and values in the order in which they
// were given. addToRecipe (Recipe.h) reads them. This header knows no MLIR.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_RECIPESETTINGS_H
#define DLC_DIALECTS_TRAIN_RECIPESETTINGS_H

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace train {

/// NAME, VALUE. A flag's value is empty.
using RecipeSettings = std::vector<std::pair<std::string, std::string>>;

/// The last value of the setting, which counts, or `otherwise`.
std::string lastOf(const RecipeSettings &settings, std::string_view name, std::string otherwise = "");
/// All values of a setting that may be given several times.
std::vector<std::string> allOf(const RecipeSettings &settings, std::string_view name);
/// A number with as few digits as give it again, in no language: 2, 0.5, 1e-08.
std::string textOf(double number);

/// Names of losses, "softmax-cross-entropy" and so on.
const std::vector<std::string> &lossNames();
/// Whether the target of a loss is a label: the number of a class.
bool hasClasses(std::string_view loss);
/// Names of optimizers.
const std::vector<std::string> &optimizerNames();

} // namespace train

#endif // DLC_DIALECTS_TRAIN_RECIPESETTINGS_H
