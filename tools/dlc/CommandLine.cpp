//===- CommandLine.cpp - options of dlc ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/Commands.h"
#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <unistd.h>

namespace dlc::tool {
namespace {

using pipeline::Options;

std::string stageList() {
  std::string text = "What to produce:";
  for (const pipeline::StageInfo &info : pipeline::stages)
    text += std::string("\n") + info.name + ": " + info.description;
  return text;
}

std::map<std::string, pipeline::Stage> stagesByName() {
  std::map<std::string, pipeline::Stage> result;
  for (const pipeline::StageInfo &info : pipeline::stages)
    result[info.name] = info.stage;
  return result;
}

/// "seq=128" or "seq=1..128".
void addDim(const std::string &text, Invocation &invocation) {
  size_t equals = text.find('=');
  auto number = [&](std::string_view digits) {
    int64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 1)
      throw CLI::ValidationError("--dim",
                                 "expected NAME=N or NAME=1..N with N of at least 1, got '" + text + "'");
    return value;
  };
  if (equals == std::string::npos || equals == 0)
    throw CLI::ValidationError("--dim", "expected NAME=N or NAME=1..N, got '" + text + "'");
  std::string_view value = std::string_view(text).substr(equals + 1);
  size_t dots = value.find("..");
  std::pair<int64_t, int64_t> range;
  if (dots == std::string_view::npos)
    range.first = range.second = number(value);
  else
    range = {number(value.substr(0, dots)), number(value.substr(dots + 2))};
  if (range.first != range.second && range.first != 1)
    throw CLI::ValidationError("--dim", "a range starts at 1, got '" + text + "'");
  invocation.dims[text.substr(0, equals)] = range;
}

/// An option that sets a hyperparameter of the optimizer, where it is given.
void addHyperparameter(CLI::App *app, const char *flag, const char *name, const char *help,
                       Options &options) {
  app->add_option_function<std::string>(
         flag,
         [&options, name](const std::string &value) {
           options.hyperparameters.push_back(std::string(name) + "=" + value);
         },
         help)
      ->check(CLI::Number)
      ->type_name("X")
      ->group("Optimizer");
}

void addModelOptions(CLI::App *app, Invocation &invocation) {
  Options &options = invocation.options;
  const char *group = "Model";
  app->add_option("--name", options.name, "Prefix of the C functions; default: from the file's name")
      ->type_name("ID")
      ->group(group);
  app->add_option("--batch", invocation.batch, "Rows of a training batch, where the model leaves them open")
      ->check(CLI::PositiveNumber)
      ->type_name("N")
      ->group(group);
  app->add_option_function<std::vector<std::string>>(
         "--dim",
         [&invocation](const std::vector<std::string> &texts) {
           for (const std::string &text : texts)
             addDim(text, invocation);
         },
         "Size of another symbolic dim, by the model's name for it: NAME=N")
      ->type_name("NAME=N")
      ->group(group);

  group = "Loss";
  app->add_option("--loss", options.loss,
                  "What is minimised; without it only prediction is compiled. output: the model's "
                  "output is the loss")
      ->check(CLI::IsMember(
          {"softmax-cross-entropy", "mse", "l1", "huber", "bce", "bce-with-logits", "nll", "output"}))
      ->group(group);
  app->add_option("--prediction", options.prediction,
                  "The output that the loss is of, where there are several")
      ->type_name("NAME")
      ->group(group);
  app->add_option("--reduction", options.reduction, "Of the rows' losses (default mean)")
      ->check(CLI::IsMember({"mean", "sum"}))
      ->group(group);
  app->add_option("--ignore-index", options.ignoreIndex, "Rows with this label do not count (default -100)")
      ->type_name("N")
      ->group(group);
  app->add_option("--label-smoothing", options.labelSmoothing, "0 to 1 (default 0)")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("X")
      ->group(group);
  app->add_option("--class-weights", options.classWeights, "File with one number for each class")
      ->type_name("FILE")
      ->group(group);
  app->add_option("--label-type", options.labelType, "dtype of labels (default i64)")
      ->check(CLI::IsMember({"i64", "i32"}))
      ->group(group);
  app->add_option("--delta", options.delta, "Where the Huber loss becomes linear (default 1)")
      ->check(CLI::PositiveNumber)
      ->type_name("X")
      ->group(group);

  group = "Optimizer";
  app->add_option("--optimizer", options.optimizer, "Default sgd")
      ->check(CLI::IsMember({"sgd", "adam", "adamw", "rmsprop", "adagrad"}))
      ->group(group);
  addHyperparameter(app, "--lr", "learning_rate",
                    "Initial learning rate; all numbers here can be changed while training", options);
  addHyperparameter(app, "--weight-decay", "weight_decay", "Weight decay", options);
  addHyperparameter(app, "--momentum", "momentum", "sgd, rmsprop", options);
  addHyperparameter(app, "--dampening", "dampening", "sgd", options);
  app->add_flag("--nesterov", options.nesterov, "sgd: Nesterov's momentum")->group(group);
  app->add_option_function<std::vector<std::string>>(
         "--betas",
         [&options](const std::vector<std::string> &values) {
           options.hyperparameters.push_back("beta1=" + values[0]);
           options.hyperparameters.push_back("beta2=" + values[1]);
         },
         "adam, adamw")
      ->expected(2)
      ->delimiter(',')
      ->check(CLI::Number)
      ->type_name("X,X")
      ->group(group);
  addHyperparameter(app, "--eps", "epsilon", "adam, adamw, rmsprop, adagrad", options);
  addHyperparameter(app, "--alpha", "alpha", "rmsprop: smoothing", options);
  app->add_flag("--centered", options.centered, "rmsprop: divide by an estimate of the variance")
      ->group(group);
  addHyperparameter(app, "--lr-decay", "lr_decay", "adagrad", options);
  app->add_option("--freeze", options.freeze, "Do not train parameters of these names (globs)")
      ->type_name("GLOB")
      ->group(group);
  app->add_option("--train", options.train, "Train only parameters of these names (globs)")
      ->type_name("GLOB")
      ->group(group);
  app->add_option("--seed", options.seed, "Of dropout, until the program sets another")
      ->type_name("N")
      ->group(group);

  group = "Target";
  app->add_option("--cpu", options.cpu, "native (default), x86-64-v3, x86-64-v4, znver4 ...")
      ->type_name("NAME")
      ->group(group);
  app->add_option("--triple", options.triple, "Target triple; default: this machine's")
      ->type_name("TRIPLE")
      ->group(group);
}

void addOutputOptions(CLI::App *app, Invocation &invocation) {
  Options &options = invocation.options;
  const char *group = "Output";
  app->add_option("-o,--output", options.outputFolder,
                  "Folder for the files (made where needed; default: this one)")
      ->type_name("DIR")
      ->group(group);
  app->add_flag("--embed-weights", options.embedWeights,
                "Put the initial parameters into the library instead of a file")
      ->group(group);
  app->add_option("--emit", options.emit, stageList())
      ->transform(CLI::CheckedTransformer(stagesByName()).description(""))
      ->type_name("STAGE")
      ->group(group);
  app->add_option("-O", options.optLevel, "Effort of LLVM, 0 to 3 (default 3)")
      ->check(CLI::Range(0, 3))
      ->type_name("N")
      ->group(group);
  app->add_option("-j,--jobs", options.jobs, "Modules compiled at the same time; default: one per core")
      ->type_name("N")
      ->group(group);
  app->add_option("--dump-ir", options.dumpFolder,
                  "Write the IR after each stage and each pass that changed something")
      ->type_name("DIR")
      ->group(group);
  app->add_flag("--time-passes", options.timePasses, "Print where the time went")->group(group);
}

} // namespace

std::optional<int> parseCommandLine(int argc, char **argv, Invocation &invocation) {
  CLI::App app(
      "dlc compiles a model to a C library that trains it.\n"
      "\n  dlc compile mlp.onnx -o out --loss=softmax-cross-entropy --optimizer=adam --lr=1e-3 --batch=64\n"
      "\nwrites out/libmlp.a, out/mlp.h, out/mlp.safetensors and out/mlp.json.",
      "dlc");
  app.set_version_flag("--version", versionText);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  invocation.program = argc ? argv[0] : "dlc";

  CLI::App *compile =
      app.add_subcommand("compile", "Compile a model (.onnx, or .mlir) to a training-step library");
  CLI::App *check = app.add_subcommand("check", "Say everything that would stop a compilation, all at once");
  CLI::App *inspect = app.add_subcommand(
      "inspect", "Show inputs, parameters, kernels and memory of a model, manifest or library");
  for (CLI::App *command : {compile, check, inspect})
    command->add_option("FILE", invocation.file, "The model")->required();
  for (CLI::App *command : {compile, check, inspect})
    addModelOptions(command, invocation);
  addOutputOptions(compile, invocation);
  compile->add_flag("-q,--quiet", invocation.quiet, "Print errors and warnings only, no remarks");
  compile->add_flag("-v,--verbose", invocation.options.verbose, "Say what was written");
  inspect->add_flag("-v,--verbose", invocation.verbose, "Show every state and every launch too");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error); // --help, --version
    std::cerr << "dlc: error: " << error.what()
              << " (dlc --help lists the commands, dlc compile --help the options)\n";
    return 1;
  }
  invocation.command = check->parsed()     ? Invocation::Command::Check
                       : inspect->parsed() ? Invocation::Command::Inspect
                                           : Invocation::Command::Compile;
  return std::nullopt;
}

} // namespace dlc::tool
