//===- Lowering.cpp - vector loops to the llvm dialect ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Lowering.h"
#include "compiler/codegen/kernel/Maths.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace dlc::codegen {

void buildLoweringPipeline(OpPassManager &pm, bool convertsHalves) {
  pm.addPass(createNarrowByIntegersPass(convertsHalves));
  pm.addPass(createExpandMathsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  ConvertMathToLLVMPassOptions exactly; // ln(1 + x) has no digits near 0 as the logarithm of a sum
  exactly.approximateLog1p = false;
  pm.addPass(createConvertMathToLLVMPass(exactly));
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCSEPass());
}

} // namespace dlc::codegen
