//===- CustomCode.cpp - the code of users' own operations ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/CustomCode.h"
#include "compiler/codegen/cpu/CustomSources.h"
#include "compiler/pipeline/Diagnostics.h"

using namespace mlir;

namespace dlc::pipeline {

FailureOr<CustomCode> compileCustom(train::ProgramOp program, const Options &options,
                                    const ChosenTarget &target, codegen::ObjectOptions::Output output) {
  CustomCode code;
  llvm::Error error = target.gpu ? codegen::gpu::compileCudaSources(program, *target.gpu, options.optLevel,
                                                                    options.clang, options.nvrtc)
                                       .moveInto(code.cuda)
                                 : codegen::compileCustomSources(program, target.cpu,
                                                                 {output, options.optLevel}, options.clang)
                                       .moveInto(code.objects);
  if (error)
    return report(program.getContext(), std::move(error));
  return code;
}

} // namespace dlc::pipeline
