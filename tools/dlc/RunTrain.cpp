//===- RunTrain.cpp - dlc train: what it needs of the compiler -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/OutputFiles.h"
#include "tools/dlc/Commands.h"

namespace dlc::tool {

int runTrain(Invocation &invocation) {
  invocation.train.seed = std::stoull(train::lastOf(invocation.recipe, "seed", "0"));
  invocation.train.quiet = invocation.quiet;
  invocation.recipe.emplace_back("step_metrics", ""); // the accuracy of what is trained with
  invocation.train.libraryFolder = findLibraries(invocation.program);
  if (std::optional<int> code = findRanks(invocation.train))
    return *code;
  Compiler compiler;
  compiler.compile = [&] {
    if (invocation.train.keepLibrary) {
      invocation.options.emit = pipeline::Stage::Shared;
      invocation.options.outputFolder = invocation.train.output;
    }
    return loadModel(invocation);
  };
  compiler.write = [](const std::string &folder, const std::string &name,
                      const std::string &text) -> std::string {
    // Ctrl-C ends training after the step, and with a checkpoint.
    auto files = emit::OutputFiles::in(folder, emit::OnSignal::Keep);
    if (!files)
      return llvm::toString(files.takeError());
    if (llvm::Error error = files->add(name, text))
      return llvm::toString(std::move(error));
    llvm::Error error = files->commit();
    return error ? llvm::toString(std::move(error)) : "";
  };
  return train(invocation.train, compiler);
}

} // namespace dlc::tool
