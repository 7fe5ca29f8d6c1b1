//===- Fuse.cpp - the stage fuse, pass by pass -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace dlc::fuse {

// The passes that ask a grouping have the same options.
template <typename PassOptions> static PassOptions groupingOptions(const FuseOptions &options) {
  PassOptions result;
  result.minShared = options.minShared;
  result.anyOrder = options.anyOrder;
  result.nearBytes = options.nearBytes;
  result.operationsPerByte = options.operationsPerByte;
  result.attentions = options.attentions;
  return result;
}

void addFusePasses(mlir::OpPassManager &passes, const FuseOptions &options) {
  // Whether the target works on thousands of elements at once.
  const bool areThreads = options.tilesAtOnce > 0;

  // Loop nests become fewer, and read less.
  passes.addPass(createInlineProducers());
  passes.addPass(createStoreOnce({options.nearBytes}));
  passes.addPass(createComputeBeside());
  passes.addPass(createMergeSiblings());
  passes.addPass(createSplitReductions({areThreads}));
  if (options.attentions)
    passes.addPass(createReuseRowSums());

  // What kernels would hand to each other through memory is computed again, where that takes less time.
  passes.addPass(createComputeTwice(groupingOptions<ComputeTwiceOptions>(options)));
  passes.addPass(createRecomputeHanded(groupingOptions<RecomputeHandedOptions>(options)));
  if (options.attentions)
    passes.addPass(createSeparateTransients());
  if (areThreads)
    passes.addPass(createSplitProducts({options.tilesAtOnce}));

  // Nests that run as one kernel become one.
  passes.addPass(createGroupLoopNests(groupingOptions<GroupLoopNestsOptions>(options)));
  if (options.panelWidth > 0)
    passes.addPass(createWritePanels({options.panelWidth, options.nearBytes}));
  passes.addPass(createOutlineKernels());

  // Each kernel becomes simpler by itself.
  passes.addPass(createMergeLoopNests());
  passes.addPass(createLeaveOutMasked());
  passes.addPass(createCollapseLoops());

  // The program is whole again: each kernel once, and launches in order.
  passes.addPass(createUniqueKernels());
  passes.addPass(createOrderLaunches());
  if (options.attentions)
    passes.addPass(createAssignRoles());
}

void registerFusePipeline() {
  static mlir::PassPipelineRegistration<FuseOptions> pipeline(
      "dlc-fuse", "Loop nests become kernels: all passes of the stage fuse", addFusePasses);
}

} // namespace dlc::fuse
