//===- Pipeline.cpp - the passes of all stages, in order -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Pipeline.h"
#include "compiler/backward/Passes.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/forward/Passes.h"
#include "compiler/fuse/Passes.h"
#include "compiler/layout/Passes.h"
#include "compiler/lower/Passes.h"
#include "compiler/pipeline/CheckRanks.h"
#include "compiler/pipeline/MemoryBudget.h"
#include "compiler/plan/Passes.h"
#include "dialects/nn/NN.h"
#include "dialects/train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace dlc::pipeline {

void addStepPasses(OpPassManager &passes, Stage last) {
  // backward: gradients are derived on whole operations, whose rules are short and stable (softmax cross
  // entropy, layer norm), before anything is decomposed or fused: forward, backward and update are then
  // optimised as one program.
  backward::addBackwardPasses(passes);
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass()); // what forward and backward both compute
  passes.addPass(backward::createVerifyBackward());
  if (last == Stage::Backward)
    return;

  // lower: whole operations become primitive ones, and each of these one loop nest.
  passes.addPass(lower::createDecompose());
  passes.addPass(lower::createNNToLinalg());
  passes.addPass(lower::createVerifyLower());
}

void addLayoutPasses(OpPassManager &passes, const MachineModel &machine) {
  // layout: before kernels are formed, so that what is moved is fused like all else, and for the whole
  // program, because a weight lies in one form for all its readers.
  passes.addPass(layout::createLayoutFor(machine.vectors));
  passes.addPass(layout::createVerifyLayout());
}

void addKernelPasses(OpPassManager &passes, const KernelTarget &target, Stage last) {
  // fuse: loop nests become kernels. Only here is it known which operations meet, so nothing is
  // grouped before.
  fuse::FuseOptions fuseOptions;
  const MachineModel &machine = target.model();
  const CpuCosts &costs = machine.vectors.costs;
  fuseOptions.minShared = costs.minShared;
  fuseOptions.anyOrder = costs.anyOrder;
  fuseOptions.nearBytes = costs.l2Bytes;
  fuseOptions.operationsPerByte = machine.operationsPerByte;
  fuseOptions.attentions = machine.tilesScores;
  fuseOptions.tilesAtOnce = machine.tilesAtOnce;
  fuseOptions.panelWidth = machine.panelWidth();
  fuse::addFusePasses(passes, fuseOptions);
  passes.addPass(fuse::createVerifyFuse());
  if (last == Stage::Fuse)
    return;

  // schedule: how each kernel runs on the target.
  target.addSchedulePasses(passes);
  if (last == Stage::Schedule)
    return;

  // plan: last, because schedules say what scratch kernels need and
  // which operands they may overwrite.
  passes.addPass(plan::createPlan());
  passes.addPass(plan::createJoinParts());
  passes.addPass(plan::createVerifyPlan());
}

Stage lastShared(const Options &options) {
  // A memory budget decides how a step goes over its batch, which the gradients are built for, by the arena
  // that the machine's kernels lead to.
  return options.memoryBudget ? Stage::Forward : Stage::Lower;
}

void addSharedPasses(OpPassManager &passes, const Options &options, Stage last) {
  if (last == Stage::Import)
    return;

  // forward: the loss comes first, because it decides how the model ends (a softmax that the loss contains);
  // then checks of what is there by now; the modes next, while there is one function to copy. Cleaning up
  // afterwards folds what either has made constant, so that no gradient is derived for it. Then formulas are
  // written in one way, and those of whole operations are recognized.
  passes.addPass(forward::createAttachLoss());
  if (options.checkIndices)
    passes.addPass(forward::createCheckIndices());
  passes.addPass(forward::createResolveModes());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(forward::createRaise());
  // Last, when products are what they will be, and before gradients, which follow the casts.
  passes.addPass(forward::createSetPrecision());
  passes.addPass(forward::createNoteRecognized());
  passes.addPass(forward::createVerifyForward());
  if (last != Stage::Forward && !options.memoryBudget)
    addStepPasses(passes, last);
}

void addMachinePasses(OpPassManager &passes, const Options &options,
                      const std::shared_ptr<const KernelTarget> &target, Stage last) {
  if (last <= lastShared(options))
    return;
  if (options.memoryBudget) {
    passes.addPass(createMemoryBudget(options, target));
    addStepPasses(passes, last);
  }
  if (last == Stage::Backward || last == Stage::Lower)
    return;

  passes.addPass(createCheckRanks());
  addLayoutPasses(passes, target->model());
  if (last == Stage::Layout)
    return;

  // What the backward pass wants of the forward pass is kept, or computed again: decided before kernels are
  // formed, which compute what is made of one value together.
  passes.addPass(createRecompute(target->model(), options.memoryBudget.has_value()));
  addKernelPasses(passes, *target, last);
}

void buildPipeline(OpPassManager &passes, const Options &options,
                   const std::shared_ptr<const KernelTarget> &target, Stage last) {
  addSharedPasses(passes, options, last);
  addMachinePasses(passes, options, target, last);
}

void registerDialects(DialectRegistry &registry) {
  registry.insert<nn::NNDialect, train::TrainDialect, arith::ArithDialect, linalg::LinalgDialect,
                  memref::MemRefDialect, tensor::TensorDialect>();
  codegen::registerCodegenDialects(registry);
}

} // namespace dlc::pipeline
