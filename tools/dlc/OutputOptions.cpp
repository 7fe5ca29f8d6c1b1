//===- OutputOptions.cpp - the files that dlc compile writes ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/LanguageNames.h"
#include "tools/dlc/NearMiss.h"
#include "tools/dlc/OptionGroups.h"
#include "tools/dlc/OptionValues.h"
#include <algorithm>
#include <sstream>

namespace dlc::tool {

using pipeline::Options;

namespace {

std::string stageList() {
  std::string text = "What to produce (default lib):";
  for (const pipeline::StageInfo &info : pipeline::stages)
    text += std::string("\n") + info.name + ": " + info.description;
  return text;
}

pipeline::Stage stageNamed(const std::string &name) {
  std::vector<std::string> known;
  for (const pipeline::StageInfo &info : pipeline::stages) {
    if (name == info.name)
      return info.stage;
    known.push_back(info.name);
  }
  throw CLI::ValidationError("--emit", oneOf(known)(name));
}

std::vector<std::string> knownLanguages() {
  std::vector<std::string> names;
  for (const emit::BindingLanguage &language : emit::bindingLanguages)
    names.push_back(language.name);
  return names;
}

std::string languageList() {
  std::string text;
  for (const std::string &name : knownLanguages())
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// "rust,go" as a list.
std::vector<std::string> languagesIn(const std::string &text) {
  const std::vector<std::string> known = knownLanguages();
  std::vector<std::string> languages;
  std::istringstream stream(text + ","); // so that a comma at the end has an empty name behind it
  for (std::string language; std::getline(stream, language, ',');) {
    if (std::find(known.begin(), known.end(), language) == known.end()) {
      throw CLI::ValidationError("--bindings", "expected languages out of " + languageList() +
                                                   ", separated by commas; got '" + text + "'" +
                                                   didYouMean(language, known));
    }
    if (std::find(languages.begin(), languages.end(), language) != languages.end())
      throw CLI::ValidationError("--bindings", "'" + language + "' stands there twice: '" + text + "'");
    languages.push_back(language);
  }
  return languages;
}

} // namespace

std::string bindingsMessage(const Options &options) {
  for (const emit::BindingLanguage &language : emit::bindingLanguages)
    if (options.emit == pipeline::Stage::Lib && language.needsSharedLibrary &&
        std::find(options.bindings.begin(), options.bindings.end(), language.name) != options.bindings.end())
      return "--bindings: programs in " + std::string(language.spoken) +
             " load a shared library, and a static one would be written: add --emit=shared";
  return "";
}

void addOutputOptions(CLI::App *app, Options &options) {
  const char *group = "Output";
  app->add_option("-o,--output", options.outputFolder,
                  "Folder for the files; made where needed (default: this one)")
      ->check(isPath)
      ->option_text("DIR")
      ->group(group);
  app->add_flag("--embed-weights", options.embedWeights,
                "Put the initial parameters into the library instead of a file")
      ->group(group);
  app->add_option("--ranks", options.ranks,
                  "For training in so many processes, each of which has a part of\n--batch (docs/ranks.md)")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 20))
      ->option_text("N")
      ->group(group);
  app->add_option_function<std::string>(
         "--bindings", [&options](const std::string &text) { options.bindings = languagesIn(text); },
         "Write a file for each of these languages beside the header, separated\nby commas: " +
             languageList())
      ->option_text("NAMES")
      ->group(group);
  app->add_option_function<std::string>(
         "--emit", [&options](const std::string &name) { options.emit = stageNamed(name); }, stageList())
      ->option_text("STAGE")
      ->group(group);
  app->add_option_function<std::string>(
         "--elide",
         [&options](const std::string &text) {
           options.elide = static_cast<unsigned>(text == "none" ? 0 : std::stoul(text));
         },
         "Leave constants of more than N numbers out of programs that are\nprinted, or none (default: none "
         "up "
         "to backward, 16 behind it)")
      ->check([](const std::string &text) {
        const bool isKnown = text == "none" || (isWhole<uint32_t>(text).empty() && std::stoul(text) > 0);
        return isKnown ? std::string() : "expected a number above 0 or 'none', got '" + text + "'";
      })
      ->option_text("N")
      ->group(group);
  app->add_option("-O", options.optLevel, "Effort of LLVM, 0 to 3 (default 3)")
      ->check(CLI::Range(0, 3))
      ->option_text("N")
      ->group(group);
  app->add_option("-j,--jobs", options.jobs, "Modules compiled at the same time (default: one per core)")
      ->check(isWhole<uint32_t>)
      ->option_text("N")
      ->group(group);
  app->add_option("--dump-ir", options.dumpFolder,
                  "Write the program after each stage, and after each pass that\nchanged something")
      ->option_text("DIR")
      ->group(group);
  app->add_flag("--time-passes", options.timePasses, "Print where the time went")->group(group);
}

} // namespace dlc::tool
