//===- Passes.h - passes of the stage fuse ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_PASSES_H
#define DLC_COMPILER_FUSE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace dlc::fuse {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/fuse/Passes.h.inc"

/// What the stage knows of a machine.
struct FuseOptions : public mlir::PassPipelineOptions<FuseOptions> {
  Option<int64_t> minShared{*this, "min-shared",
                            llvm::cl::desc("Fewest common iterations of nests with different loops"),
                            llvm::cl::init(8)};
  Option<bool> anyOrder{*this, "any-order",
                        llvm::cl::desc("Reads cost the same in whichever order they go through memory"),
                        llvm::cl::init(false)};
  Option<int64_t> nearBytes{*this, "near-bytes",
                            llvm::cl::desc("Bytes of the cache in which a core keeps what it works on"),
                            llvm::cl::init(1 << 20)};
  Option<int64_t> operationsPerByte{
      *this, "operations-per-byte",
      llvm::cl::desc("Simple operations that a core computes while memory moves a byte"), llvm::cl::init(16)};
  Option<int64_t> panelWidth{*this, "panel-width",
                             llvm::cl::desc("Columns of a panel of a large matrix; 0: no panels"),
                             llvm::cl::init(0)};
  Option<bool> attentions{*this, "attentions",
                          llvm::cl::desc("The target computes matrices of scores tile by tile"),
                          llvm::cl::init(false)};
  Option<int64_t> tilesAtOnce{
      *this, "tiles-at-once",
      llvm::cl::desc("Tiles of products that the target computes at once; 0: it has few threads"),
      llvm::cl::init(0)};
};

/// The passes of the stage, in order.
void addFusePasses(mlir::OpPassManager &passes, const FuseOptions &options);

/// Makes them known to dlc-opt as one, `--dlc-fuse`.
void registerFusePipeline();

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_PASSES_H
