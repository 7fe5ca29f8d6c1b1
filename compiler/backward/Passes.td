//===- Passes.td - passes of the stage backward ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DLC_BACKWARD_PASSES
#define DLC_BACKWARD_PASSES

include "mlir/Pass/PassBase.td"

def Gradients : Pass<"dlc-gradients", "::mlir::ModuleOp"> {
  let summary = "Derive the gradients of all trainable parameters, once, for all functions that train";
  let description = [{
    Walking the operations of `forward` in reverse, their gradient rules give the gradient of every trainable
    parameter, which ends in a `train.gradient`. Named dims get their bounds first. From this one program come

    - `train_step`, whose gradients nothing uses yet: the pass dlc-update attaches updates to them;
    - `grad_step`, which writes the gradients;
    - `accumulate`, which adds them to the gradients that are there;
    - `apply`, which has the gradients that the other two have written, as `train.gradient` too.

    Where a `train.dim` is `open`, the same is done once more with open dims as they are; this gives `train_step_n`,
    `grad_step_n` and `accumulate_n`. `forward` is erased. In a program without a loss, nothing else happens.

    Every operation without a gradient rule between trainable parameters and the loss is an error, and so
    is every trainable parameter that the loss does not depend on.
  }];
  let options = [
    ListOption<"train", "train", "std::string",
               "Train only parameters whose name matches one of these globs; a full name also "
               "trains a frozen one">,
    ListOption<"freeze", "freeze", "std::string",
               "Do not train parameters whose name matches one of these globs">,
    Option<"seed", "seed", "uint64_t", "0", "Initial seed of the random state">
  ];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def ClipGradients : Pass<"dlc-clip-gradients", "::mlir::ModuleOp"> {
  let summary = "Scale all gradients down where their common norm is too large";
  let description = [{
    In `train_step`, `train_step_n` and `apply`, as torch.nn.utils.clip_grad_norm_ does:

        norm = sqrt(sum over all gradients of sum(g * g))
        g'   = g * min(1, max_grad_norm / (norm + 1e-6))

    Each gradient's sum is computed in its own type, the rest in f64. `max_grad_norm` is a hyperparameter.
    The clipped gradient is the new `train.gradient` of its parameter.
  }];
  let options = [
    Option<"maxNorm", "max-norm", "double", "1.0", "The initial value of max_grad_norm">
  ];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def Update : Pass<"dlc-update", "::mlir::ModuleOp"> {
  let summary = "Attach the optimizer: an update of each parameter, as soon as its gradient is known";
  let description = [{
    In `train_step`, `train_step_n` and `apply`, each `train.gradient` is followed by the update of its parameter. In
    `train_step`, where nothing has moved the gradients, that is after the last operation that reads the parameter's old value,
    so later stages can update in place. Declares hyperparameters, the step count and the optimizer's slots.

    A group's numbers take the place of those that all parameters share; `lr_scale` is a factor of the learning
    rate, and while it is 0, the parameters and their slots keep their values. A weight decay of 0 is a constant.
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "\"sgd\"",
           "One of sgd, adam, adamw, nadam, radam, adamax, lamb, lion, muon, rmsprop, adagrad, adadelta">,
    ListOption<"hyperparameters", "hyperparameters", "std::string",
               "Initial values (NAME=NUMBER); PyTorch's defaults for the others">,
    Option<"nesterov", "nesterov", "bool", "false", "Nesterov's momentum (sgd)">,
    Option<"centered", "centered", "bool", "false", "Normalize by an estimate of the variance (rmsprop)">,
    Option<"amsgrad", "amsgrad", "bool", "false", "Divide by the largest second moment so far (adam, adamw)">,
    ListOption<"groups", "groups", "std::string",
               "GLOB|GLOB...:NAME=NUMBER,...: parameters with settings of their own">
  ];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def EvalFunctions : Pass<"dlc-eval-functions", "::mlir::ModuleOp"> {
  let summary = "Make eval_step and predict of `evaluate`";
  let description = [{
    Both keep named dims. `eval_step` has the loss as a sum, so that it can be added up over batches; a program
    without a loss has only `predict`. `evaluate` is erased.
  }];
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
