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

    Where the recipe says `accumulate mean`, `accumulate` makes the gradients of the joined batch instead: those of a loss that is a sum are added;
    those of a mean become the mean of both, weighed by what each loss was divided by. `grad_step` and `accumulate` keep
    this number, that of all batches so far, in the state `gradient_weight`. Where the model computes its loss itself it
    is found in the operations that make one number of all samples; a loss that is no sum or mean of them is an error.

    Where a `train.dim` is `open`, the same is done once more with open dims as they are; this gives `train_step_n`,
    `grad_step_n` and `accumulate_n`. `forward` is erased. In a program without a loss, nothing else happens.

    With a `loss_scale` in the recipe, the gradients that flow back are those of loss_scale times the loss, and each parameter's is
    divided by it again. The hyperparameter, and the attribute `loss_scale` of the program, which names it, are added.

    In a program with the attribute `batch_parts`, it is done for one part of the batch instead. Functions for one part
    sum up the weights of a mean, and write or add gradients; the functions that train name them in `phases`, and have
    what is left to do afterwards.

    With its `step_metrics`, the functions that train also write what `eval_step` does of its batch (dlc-eval-functions), of their own:
    the outputs `step_loss_sum`, `step_loss_weight` and `step_correct`.

    With `hvp` among its `functions` there is one more, of the kind `predict`: it takes the inputs and targets and an array of numbers for all
    trainable parameters, in the order of their declarations, and gives the Hessian of the loss of `forward` times that vector, as
    the gradient of the sum of all gradients times its numbers. It has named dims, and changes no state.

    Every operation without a gradient rule between trainable parameters and the loss is an error, and so
    is every trainable parameter that the loss does not depend on.
  }];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def Derivatives : Pass<"dlc-derivatives", "::mlir::ModuleOp"> {
  let summary = "Make functions that differentiate the predictions by the inputs";
  let description = [{
    `vjp` takes the inputs of `predict` and a cotangent of each floating-point prediction, and gives the gradient of the sum of
    all predictions times their cotangents by each floating-point input. `jvp` takes a tangent of each of these inputs, and
    gives how the predictions change along them, which is derived from `vjp`: the gradients are linear in the cotangents, and the
    gradient of a sum of them by the cotangents is the other product. Both are functions of the kind `predict`, with all that is
    true of it: of `evaluate`, with named dims, without a loss.

    The recipe's `functions` name them. After the name, `:` and names of inputs with `|` between them choose by which inputs. An input that no prediction depends
    on has the gradient 0. An operation without a gradient rule in between is an error.
  }];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def GuardUpdates : Pass<"dlc-guard-updates", "::mlir::ModuleOp"> {
  let summary = "Skip updates by gradients that are not finite, and adjust the scale of the loss";
  let description = [{
    As torch.amp.GradScaler does, in `train_step`, `train_step_n` and `apply`: where all numbers of all gradients are
    finite, parameters are updated, and after 2,000 such steps in a row loss_scale is doubled. Where one is not, nothing is
    updated (`train.update_if`), and loss_scale is halved. It stays between 2^-100 and 2^100. `good_steps` counts.

    Nothing changes in a program whose recipe has no `loss_scale` that is `dynamic`.
  }];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def ClipGradients : Pass<"dlc-clip-gradients", "::mlir::ModuleOp"> {
  let summary = "Make gradients smaller where they, or their common norm, are too large";
  let description = [{
    In `train_step`, `train_step_n` and `apply`: where the recipe clips a `value`, each number of each gradient is put between
    -max_grad_value and max_grad_value, as torch.nn.utils.clip_grad_value_ does. Where it clips the `norm`, all are scaled down,
    as torch.nn.utils.clip_grad_norm_ does:

        norm = sqrt(sum over all gradients of sum(g * g))
        g'   = g * min(1, max_grad_norm / (norm + 1e-6))

    Each gradient's sum is computed in its own type, the rest in f64; the norm is an output. `max_grad_norm` and
    `max_grad_value` are hyperparameters. The clipped gradient is the new `train.gradient` of its parameter. With
    `grad_norm`, the norm is an output without that, too; it is that of the gradients before anything is clipped.
  }];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def Update : Pass<"dlc-update", "::mlir::ModuleOp"> {
  let summary = "Attach the optimizer: an update of each parameter, as soon as its gradient is known";
  let description = [{
    In `train_step`, `train_step_n` and `apply`, each `train.gradient` is followed by the update of its parameter. In
    `train_step`, where nothing has moved the gradients, that is after the last operation that reads the parameter's old value,
    so later stages can update in place. Declares hyperparameters, the step count and the slots of the recipe's
    optimizer, which is sgd where it has none.

    A group's numbers take the place of those that all parameters share; `lr_scale` is a factor of the learning
    rate, and while it is 0, the parameters and their slots keep their values. A weight decay of 0 is a constant.

    A `train.update_if` makes all of this, the step count too, happen only where its operand is true.

    With an `ema_decay`, a slot `ema` follows each parameter, as torch.optim.swa_utils.get_ema_multi_avg_fn has it: it is
    the parameter after the first update, then ema' = ema_decay * ema + (1 - ema_decay) * w'.
  }];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def EvalFunctions : Pass<"dlc-eval-functions", "::mlir::ModuleOp"> {
  let summary = "Make eval_step and predict of `evaluate`";
  let description = [{
    Both keep named dims. `eval_step` has the loss as a sum, so that it can be added up over batches; a program
    without a loss has only `predict`. `evaluate` is erased, and so is the recipe, of which all is done.
  }];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def VerifyBackward : Pass<"dlc-verify-backward", "::mlir::ModuleOp"> {
  let summary = "Check what the stage backward promises";
  let description = [{
    Only exported functions are left, each at most once and without `train.loss`; functions that train have
    static types; each symbol is read before any write and written at most once; every trainable
    parameter is updated by `train_step` and `apply`. In a program of low precision, products have low operands
    and give f32.
  }];
}

#endif
