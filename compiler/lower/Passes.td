//===- Passes.td - from nn to linalg ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_LOWER_PASSES
#define DLC_LOWER_PASSES

include "mlir/Pass/PassBase.td"

def Decompose : Pass<"dlc-decompose", "mlir::ModuleOp"> {
  let summary = "composite operations and optimizer updates become primitive nn operations";
  let description = [{
    Decomposes softmax, normalizations, losses, activations that are formulas, and updates. Scalars of updates
    are computed in f64, once for all parameters. `train.gradient` and `train.loss`, which mark the borders of
    the step's parts, are removed. Equal computations of forward and backward become one. Masks of activations
    that are followed by dropout are derived from the dropout's result instead of drawing its random numbers
    again.
  }];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def NNToLinalg : Pass<"dlc-nn-to-linalg", "mlir::ModuleOp"> {
  let summary = "each primitive nn operation becomes one linalg.generic on plain tensors";
  let description = [{
    After this pass, tensors have no encodings and no dims of size 1; docs/rationale/fusion.md describes what
    is left.
  }];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def VerifyLower : Pass<"dlc-verify-lower", "mlir::ModuleOp"> {
  let summary = "check what the stage lower promises";
  let description = [{
    Functions hold reads, writes, views, and loop nests (`linalg.generic`) with what initialises them. Operands of
    loop nests are plain tensors without dims of size 1, and their bodies are scalar operations.
  }];
}

#endif
