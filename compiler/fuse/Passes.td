//===- Passes.td - passes of the stage fuse --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FUSE_PASSES
#define DLC_FUSE_PASSES

include "mlir/Pass/PassBase.td"

def RecomputeForward : Pass<"dlc-recompute-forward", "mlir::ModuleOp"> {
  let summary = "what the backward pass reads of the forward pass is kept, or computed again";
  let description = [{
    In functions that compute a loss and gradients. Given the price of a byte in operations, the choice for all values
    is the cheapest one. Without a price, only what takes little time is computed again: few simple operations on what
    is kept anyway, or a function of it where much is kept, whose result would have left the cache by then; and the
    product of an attention's probabilities, which are made again anyway. Nothing is computed in another way than
    before, and a random number is drawn again with the same counter, so results are the same. docs/rationale/memory.md says how it is chosen.
  }];
  let options = [
    Option<"price", "price", "int64_t", "0",
           "Operations that it may take to keep one byte less until the backward pass">,
    Option<"layers", "layers", "int64_t", "1",
           "Equal parts of the forward pass, over the last of which the price falls to 0">,
    Option<"nearBytes", "near-bytes", "int64_t", "1048576",
           "Bytes of the cache in which a core keeps what it works on">,
    Option<"operationsPerByte", "operations-per-byte", "int64_t", "16",
           "Simple operations that a core computes while memory moves a byte">
  ];
  let dependentDialects = ["::train::TrainDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def FormKernels : Pass<"dlc-form-kernels", "mlir::ModuleOp"> {
  let summary = "group the linalg.generics of each function into kernels";
  let description = [{
    Decides by indexing maps and dependencies which generics run as one kernel, and merges generics inside
    kernels. Orders the launches so that an update comes after the last reader of the value that it replaces.
    Gives equal kernels one symbol. docs/rationale/fusion.md describes kernels.
  }];
  let options = [
    Option<"minShared", "min-shared", "int64_t", "8",
           "Generics with different loops share a kernel only if their common loops have at least this many "
           "iterations">,
    Option<"anyOrder", "any-order", "bool", "false",
           "Reads cost the same in whichever order they go through memory, as without vectors and caches">,
    Option<"nearBytes", "near-bytes", "int64_t", "1048576",
           "Bytes of the cache in which a core keeps what it works on">,
    Option<"operationsPerByte", "operations-per-byte", "int64_t", "16",
           "Simple operations that a core computes while memory moves a byte">,
    Option<"panelWidth", "panel-width", "int64_t", "0",
           "Columns of a panel in which products read large matrices that are made for them alone; 0: none">,
    Option<"attentions", "attentions", "bool", "false",
           "Each attention becomes one kernel, its backward pass two or three, and others none of steps: the "
           "target computes matrices of scores tile by tile">,
    Option<"tilesAtOnce", "tiles-at-once", "int64_t", "0",
           "Tiles of products that the target computes at once; products with fewer get partial sums. 0: those "
           "with few results">
  ];
  let dependentDialects = ["::train::TrainDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def VerifyFuse : Pass<"dlc-verify-fuse", "mlir::ModuleOp"> {
  let summary = "check what the stage fuse promises";
  let description = [{
    Functions hold reads, launches, views and writes; kernels hold what docs/rationale/fusion.md allows,
    and the generics of a kernel really share its first `shared` loops.
  }];
}

#endif
