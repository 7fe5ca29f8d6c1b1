//===- Lowering.cpp - code of threads to the llvm and nvvm dialects --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Lowering.h"
#include "compiler/codegen/gpu/Maths.h"
#include "compiler/codegen/kernel/Maths.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace dlc::codegen::gpu {

void buildLoweringPipeline(OpPassManager &pm) {
  pm.addPass(createExpandDoubleMathsPass());
  pm.addPass(createExpandMathsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCheckMathsPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCSEPass());
}

} // namespace dlc::codegen::gpu
