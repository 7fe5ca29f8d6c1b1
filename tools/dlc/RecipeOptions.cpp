//===- RecipeOptions.cpp - options that are settings of a recipe -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/OptionGroups.h"

namespace dlc::tool {

using train::RecipeSettings;

CLI::Option *addSetting(CLI::App *app, const char *flags, const char *name, RecipeSettings &recipe,
                        const char *help) {
  return app->add_option_function<std::string>(
      flags, [&recipe, name](const std::string &value) { recipe.emplace_back(name, value); }, help);
}

CLI::Option *addNumber(CLI::App *app, const char *flags, const char *name, RecipeSettings &recipe,
                       const char *help) {
  return app->add_option_function<double>(
      flags, [&recipe, name](double value) { recipe.emplace_back(name, train::textOf(value)); }, help);
}

CLI::Option *addFlag(CLI::App *app, const char *flags, const char *name, RecipeSettings &recipe,
                     const char *help) {
  return app->add_flag_function(
      flags,
      [&recipe, name](std::int64_t count) {
        if (count > 0)
          recipe.emplace_back(name, "");
      },
      help);
}

CLI::Option *addList(CLI::App *app, const char *flags, const char *name, RecipeSettings &recipe,
                     const char *help) {
  return app->add_option_function<std::vector<std::string>>(
      flags,
      [&recipe, name](const std::vector<std::string> &values) {
        for (const std::string &value : values)
          recipe.emplace_back(name, value);
      },
      help);
}

} // namespace dlc::tool
