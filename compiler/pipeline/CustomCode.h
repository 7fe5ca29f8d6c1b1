//===- CustomCode.h - the code of users' own operations --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_CUSTOMCODE_H
#define DLC_COMPILER_PIPELINE_CUSTOMCODE_H

#include "compiler/codegen/cpu/Object.h"
#include "compiler/codegen/gpu/custom/CudaSources.h"
#include "compiler/emit/Library.h"
#include "compiler/pipeline/ChosenTarget.h"
#include "dialects/train/Train.h"

namespace dlc::pipeline {

struct CustomCode {
  std::vector<emit::Member> objects; ///< for CPUs, or texts
  codegen::gpu::CudaModules cuda;    ///< for GPUs
};

/// What clang makes of the sources that the program's custom operations have for the target: nothing where
/// there are none.
mlir::FailureOr<CustomCode> compileCustom(train::ProgramOp program, const Options &options,
                                          const ChosenTarget &target, codegen::ObjectOptions::Output output);

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_CUSTOMCODE_H
