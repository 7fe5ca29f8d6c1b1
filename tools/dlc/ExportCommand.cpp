//===- ExportCommand.cpp - options of dlc export -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/ExportCommand.h"
#include "tools/dlc/OptionValues.h"

namespace dlc::tool {

CLI::App *addExportCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand("export", "Write a model with trained weights as an ONNX file");
  command->footer(
      "What is written predicts: dropout is left out, and batch normalization takes the statistics that\n"
      "training has collected. Names are kept. docs/exporting.md says more.");
  command->add_option("FILE", invocation.file, "The model: .onnx, .pt2, .cpp or .mlir")
      ->required()
      ->option_text(" ");
  command
      ->add_option("WEIGHTS,--weights", invocation.weights,
                   "Trained parameters: a safetensors file, such as\n<model>_save has written (default: the "
                   "model's own)")
      ->option_text("FILE");
  command
      ->add_option("--parameters", invocation.parameters,
                   "Values of the parameters of a StableHLO program (.safetensors)")
      ->option_text("FILE");
  command->add_option("-o,--output", invocation.exportedFile, "The file to write")
      ->required()
      ->check(isPath)
      ->option_text("FILE");
  return command;
}

} // namespace dlc::tool
