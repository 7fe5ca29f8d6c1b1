//===- Passes.td - passes of the stage backward ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DLC_BACKWARD_PASSES
#define DLC_BACKWARD_PASSES

include "mlir/Pass/PassBase.td"

def Backward : Pass<"dlc-backward", "::mlir::ModuleOp"> {
  let summary = "Make the exported functions: derive gradients, attach the optimizer";
  let description = [{
    From `forward` come `train_step`, `grad_step`, `accumulate` and `apply`, with every named dim at its
    bound; from `evaluate` come `eval_step` and `predict`, with named dims. A program without a loss
    has only `predict`. `forward` and `evaluate` are erased.

    Walking the operations in reverse, their gradient rules give the gradient of every trainable
    parameter. A parameter's update directly follows its gradient. As the walk goes in reverse order, that is
    after the last operation that reads the old value, so later stages can update in place.

    Every operation without a gradient rule between trainable parameters and the loss is an error, and so
    is every trainable parameter that the loss does not depend on.
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "\"sgd\"", "sgd, adam, adamw, rmsprop or adagrad">,
    ListOption<"hyperparameters", "hyperparameters", "std::string",
               "Initial values (NAME=NUMBER); PyTorch's defaults for the others">,
    Option<"nesterov", "nesterov", "bool", "false", "Nesterov's momentum (sgd)">,
    Option<"centered", "centered", "bool", "false", "Normalize by an estimate of the variance (rmsprop)">,
    ListOption<"train", "train", "std::string",
               "Train only parameters whose name matches one of these globs; a full name also "
               "trains a frozen one">,
    ListOption<"freeze", "freeze", "std::string",
               "Do not train parameters whose name matches one of these globs">,
    Option<"seed", "seed", "uint64_t", "0", "Initial seed of the random state">
  ];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def VerifyBackward : Pass<"dlc-verify-backward", "::mlir::ModuleOp"> {
  let summary = "Check what the stage backward promises";
  let description = [{
    Only exported functions are left, each at most once and without `train.loss`; functions that train have
    static types; each symbol is read before any write and written at most once; every trainable
    parameter is updated by `train_step` and `apply`.
  }];
}

#endif
