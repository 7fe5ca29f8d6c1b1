//===- Model.cpp - the constant dlc_model ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/model/Model.h"
#include "compiler/codegen/model/Constants.h"
#include "dialects/train/Derivative.h"
#include "dlc/abi.h"

using namespace mlir;
using train::Derivative;

namespace dlc::codegen {

static_assert(sizeof(dlc_model) == 104, "dlc/abi.h changed: change the emission below with it");

static_assert(uint32_t(train::FunctionKind::GradStep) - uint32_t(train::FunctionKind::TrainStep) ==
                      DLC_GRAD_STEP &&
                  uint32_t(train::FunctionKind::Predict) - uint32_t(train::FunctionKind::TrainStep) ==
                      DLC_PREDICT &&
                  uint32_t(train::FunctionKind::AccumulateN) - uint32_t(train::FunctionKind::TrainStep) ==
                      DLC_ACCUMULATE_N,
              "the functions of the library stand in the order of dlc_function_kind");

uint32_t functionKind(train::FunctionOp function) {
  switch (derivativeOf(function)) {
  case Derivative::Vjp:
    return DLC_VJP;
  case Derivative::Jvp:
    return DLC_JVP;
  case Derivative::Hvp:
    return DLC_HVP;
  case Derivative::None:
    return uint32_t(function.getKind()) - uint32_t(train::FunctionKind::TrainStep);
  }
  llvm_unreachable("a kind of derivative");
}

std::string kernelSymbol(train::KernelOp kernel) {
  return (kernel->getParentOfType<train::ProgramOp>().getSymName() + "." + kernel.getSymName()).str();
}

std::string deviceSymbol(train::KernelOp kernel) {
  return (kernel->getParentOfType<train::ProgramOp>().getSymName() + ".gpu." + kernel.getSymName()).str();
}

/// Whether other sizes than the batch are open in training.
static bool hasFixedBatch(train::ProgramOp program) {
  auto dims = program.getBody().getOps<train::DimOp>();
  return llvm::any_of(dims, [](train::DimOp dim) { return dim.getOpen(); }) && !(*dims.begin()).getOpen();
}

void emitModel(ArrayRef<ModelTarget> targets, llvm::Module &module, uint32_t features,
               const ModelOptions &options) {
  train::ProgramOp program = targets.front().program;
  Constants c(program, module);
  uint32_t functions = 0;
  for (auto function : program.getBody().getOps<train::FunctionOp>())
    functions |= 1u << functionKind(function);
  SmallVector<llvm::Constant *> fields{
      c.i32(DLC_ABI_VERSION), c.i32(functions), c.string(program.getSymName()), c.i64(options.fingerprint),
      options.weightsFile.empty() ? c.null() : c.string(options.weightsFile)};
  appendInterface(c, fields, options.embedWeights);
  SmallVector<llvm::Constant *> described;
  for (const ModelTarget &target : targets) {
    Constants own(target.program, module);
    described.push_back(target.device ? describeDevice(own, *target.device)
                                      : describeCpuTarget(own, features));
  }
  fields.append({c.table(described), c.i32(described.size()), c.i32(hasFixedBatch(program))});
  llvm::GlobalVariable *model = c.global(c.record(fields));
  model->setName(program.getSymName() + ".model");
  model->setLinkage(llvm::GlobalValue::ExternalLinkage); // `dlc profile` looks it up
  model->setDSOLocal(false);
  if (options.functions)
    emitApi(program, module, model, options.fingerprint);
}

} // namespace dlc::codegen
