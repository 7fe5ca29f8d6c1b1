//===- Pipeline.h - the passes of all stages, in order ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_PIPELINE_H
#define DLC_COMPILER_PIPELINE_PIPELINE_H

#include "compiler/pipeline/KernelTarget.h"
#include "compiler/pipeline/Options.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace dlc::pipeline {

/// Adds the passes that lead from an imported program to the end of stage `last` (at most Stage::Plan): those
/// of addSharedPasses and of addMachinePasses.
void buildPipeline(mlir::OpPassManager &passes, const Options &options,
                   const std::shared_ptr<const KernelTarget> &target, Stage last);

/// The last stage after which a program is the same for all machines.
Stage lastShared(const Options &options);
/// Adds those to the end of that stage, or of `last`.
void addSharedPasses(mlir::OpPassManager &passes, const Options &options, Stage last);
/// Adds those after that stage, to the end of stage `last`.
void addMachinePasses(mlir::OpPassManager &passes, const Options &options,
                      const std::shared_ptr<const KernelTarget> &target, Stage last);

/// Adds those of the stages backward and, unless that is the last one, lower.
void addStepPasses(mlir::OpPassManager &passes, Stage last);
/// Adds those of the stage layout.
void addLayoutPasses(mlir::OpPassManager &passes, const MachineModel &machine);
/// Adds those of the stages after layout, to the end of stage `last`.
void addKernelPasses(mlir::OpPassManager &passes, const KernelTarget &target, Stage last);

/// The dialects that a compilation starts from or passes through.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_PIPELINE_H
