//===- PredictCommand.cpp - options of dlc eval and dlc predict -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/PredictCommand.h"
#include "tools/dlc/OptionGroups.h"
#include "tools/dlc/OptionValues.h"

namespace dlc::tool {

namespace {

CLI::App *addCommand(CLI::App &app, Invocation &invocation, const char *name, const char *description,
                     const char *what) {
  TrainOptions &options = invocation.train;
  CLI::App *command = app.add_subcommand(name, description);
  command->add_option("FILE", invocation.file, "The model: .onnx, .pt2, .cpp or .mlir")
      ->required()
      ->option_text(" ");
  command
      ->add_option(
          "--weights", options.weights,
          "Trained parameters, weights or a checkpoint (.safetensors), such as\nthose in the output folder "
          "of dlc train (default: the model's own)")
      ->option_text("FILE");
  command
      ->add_option("--preprocessing", options.preprocessing,
                   "What dlc train did to its data, which is done again: means,\ncolumns, words (default: "
                   "preprocessing.json beside the weights,\nif there is one)")
      ->option_text("FILE");
  addDataOptions(command, options, what);
  addDeviceOptions(command, options, "Data");
  return command;
}

} // namespace

CLI::App *addEvalCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command =
      addCommand(app, invocation, "eval", "Measure a trained model with data", "measure with");
  command->footer(
      "For example,\n"
      "  dlc eval mlp.onnx --weights=out/best.safetensors --data=fashion-mnist \\\n"
      "      --loss=softmax-cross-entropy --batch=64\n"
      "prints the loss and the accuracy. Of a folder with data to train and to test with, it takes those\n"
      "to test with. docs/training.md has more.");
  addMetricsOption(command, invocation.train,
                   "As tables: classes\n(precision, recall and f1 of each) and confusion", "Options");
  return command;
}

CLI::App *addPredictCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command =
      addCommand(app, invocation, "predict", "Write what a trained model predicts of data", "predict from");
  command->footer(
      "For example,\n"
      "  dlc predict mlp.onnx --weights=out/best.safetensors --data=new.csv --batch=64 -o answers.csv\n"
      "writes a line for each line of new.csv, with the word of its class where dlc train made\n"
      "classes of words. docs/training.md has more.");
  command
      ->add_option(
          "-o,--output", invocation.train.output,
          "The file to write: a table (.csv), NumPy (.npy) or tensors\n(.safetensors) (default: a table is "
          "printed)")
      ->check(isPath)
      ->option_text("FILE");
  return command;
}

} // namespace dlc::tool
