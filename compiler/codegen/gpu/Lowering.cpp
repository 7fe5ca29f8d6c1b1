//===- Lowering.cpp - code of threads to the llvm and nvvm dialects --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Lowering.h"
#include "compiler/codegen/gpu/device/Device.h"
#include "compiler/codegen/gpu/maths/Maths.h"
#include "compiler/codegen/kernel/Maths.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace dlc::codegen::gpu {

namespace {

/// What forRolled says of a loop, conversions hand on as an attribute that the translation to LLVM IR does
/// not look at. It must reach PTX: NVIDIA's assembler unrolls loops, too.
struct NameAnnotations : PassWrapper<NameAnnotations, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NameAnnotations)
  StringRef getArgument() const final { return "dlc-name-annotations"; }
  StringRef getDescription() const final { return "annotations of loops are those of their last branch"; }
  void runOnOperation() final {
    constexpr StringLiteral ofLoops = "llvm.loop_annotation";
    getOperation()->walk([&](LLVM::BrOp branch) {
      if (auto annotation = branch->getAttrOfType<LLVM::LoopAnnotationAttr>(ofLoops)) {
        branch.setLoopAnnotationAttr(annotation);
        branch->removeAttr(ofLoops);
      }
    });
  }
};

} // namespace

static void addPasses(OpPassManager &pm, std::unique_ptr<Pass> narrow) {
  pm.addPass(std::move(narrow));
  pm.addPass(createExpandDoubleMathsPass());
  pm.addPass(createExpandMathsPass({powerOfTwo, reciprocal}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCheckMathsPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(std::make_unique<NameAnnotations>());
  pm.addPass(createCSEPass());
}

void buildLoweringPipeline(OpPassManager &pm) { addPasses(pm, createNarrowByMachinePass()); }
void buildSimtLoweringPipeline(OpPassManager &pm) { addPasses(pm, createNarrowByIntegersPass(false)); }

} // namespace dlc::codegen::gpu
