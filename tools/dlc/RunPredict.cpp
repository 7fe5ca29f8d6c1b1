//===- RunPredict.cpp - dlc eval and dlc predict: what they need of the compiler ===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/OutputFiles.h"
#include "tools/dlc/Commands.h"
#include "tools/dlc/ReadModel.h"
#include <cstdio>

namespace dlc::tool {

static Compiler compilerOf(Invocation &invocation) {
  invocation.train.quiet = invocation.quiet;
  Compiler compiler;
  compiler.compile = [&] { return loadModel(invocation); };
  compiler.write = [](const std::string &folder, const std::string &name,
                      const std::string &text) -> std::string {
    auto files = emit::OutputFiles::in(folder);
    if (!files)
      return llvm::toString(files.takeError());
    if (llvm::Error error = files->add(name, text))
      return llvm::toString(std::move(error));
    llvm::Error error = files->commit();
    return error ? llvm::toString(std::move(error)) : "";
  };
  return compiler;
}

/// A description has the weights that a training would begin with.
static void remarkOnInitialWeights(const Invocation &invocation) {
  if (!invocation.train.weights.empty() || invocation.quiet || !isCpp(invocation))
    return;
  std::fprintf(stderr, "dlc: remark: no --weights are given: %s has those that a training begins with\n",
               invocation.file.c_str());
}

int runEval(Invocation &invocation) {
  remarkOnInitialWeights(invocation);
  invocation.train.prediction = train::lastOf(invocation.recipe, "prediction");
  return evaluate(invocation.train, compilerOf(invocation));
}

int runPredict(Invocation &invocation) {
  remarkOnInitialWeights(invocation);
  return predict(invocation.train, compilerOf(invocation));
}

} // namespace dlc::tool
