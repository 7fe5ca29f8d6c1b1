//===- CustomCode.cpp - the code of users' own operations ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/CustomCode.h"
#include "compiler/codegen/cpu/CustomSources.h"
#include "compiler/pipeline/Diagnostics.h"

using namespace mlir;

namespace dlc::pipeline {

FailureOr<std::vector<emit::Member>> compileCustom(train::ProgramOp program, const Options &options,
                                                   const ChosenTarget &target,
                                                   codegen::ObjectOptions::Output output) {
  auto functions = program.getBody().getOps<train::CustomFunctionOp>();
  if (functions.empty())
    return std::vector<emit::Member>();
  if (target.gpu)
    return report(program.getContext(),
                  llvm::createStringError("the custom operation '" + (*functions.begin()).getSymName() +
                                          "' has code for CPUs only, which --target=nvptx cannot use"));
  auto compiled =
      codegen::compileCustomSources(program, target.cpu, {output, options.optLevel}, options.clang);
  if (!compiled)
    return report(program.getContext(), compiled.takeError());
  return std::move(*compiled);
}

} // namespace dlc::pipeline
