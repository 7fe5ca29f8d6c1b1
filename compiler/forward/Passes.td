//===- Passes.td - passes of the stage forward -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DLC_FORWARD_PASSES
#define DLC_FORWARD_PASSES

include "mlir/Pass/PassBase.td"

def Recipe : Pass<"dlc-recipe", "::mlir::ModuleOp"> {
  let summary = "Write settings into the recipe of a program";
  let description = [{
    What `dlc compile` does with its options, for programs that are tests: `dlc-recipe="set=loss=mse,reduction=sum"` adds
    settings to the recipe, or replaces those that it has (addToRecipe in dialects/train/Recipe.h).
  }];
  let options = [ListOption<"set", "set", "std::string", "NAME=VALUE, or the name of a flag">];
  let dependentDialects = ["::train::TrainDialect"];
}

def AttachLoss : Pass<"dlc-attach-loss", "::mlir::ModuleOp"> {
  let summary = "Add the loss and its target input to the model";
  let description = [{
    Adds the loss of the recipe: the target input (`labels` for class losses, else `target`), the loss operation, `train.loss` and the
    output `loss`. Where the loss applies a softmax or sigmoid itself and the model ends in one, the loss is
    computed from the scores before it, with a warning; the prediction is not changed. With
    `keep_activation` both are applied, as PyTorch does. A softmax after a logarithm of probabilities gives
    these probabilities: such an activation is left out in both cases, with a remark. Losses with classes
    take the classes along `class_axis`. The loss `ctc` of sequences has three target inputs, `labels`
    `[batch, max_labels]` and the lengths `input_lengths` and `label_lengths`, and is written out as
    operations. A loss that cannot work with the model's output is an error, one
    that probably is not what is meant a warning. With the loss `output` the model's output is the loss. It is taken
    out of the recipe, as the model has it then; without a loss there nothing is done.
  }];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def CheckIndices : Pass<"dlc-check-indices", "::mlir::ModuleOp"> {
  let summary = "Have the program report the range of indices that it computes";
  let description = [{
    For each `nn.gather`, `nn.scatter_add` and class loss of `forward` whose indices are neither constant
    nor an input that the runtime checks: an output marked `index_range`, `tensor<4xi64>`, with the
    smallest and the largest index and the range `[low, limit)` that they must lie in. The runtime refuses
    the call where they do not. Without this pass an index out of range is moved to the nearest one in
    range, and a label out of range is no class.
  }];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def ResolveModes : Pass<"dlc-resolve-modes", "::mlir::ModuleOp"> {
  let summary = "Say what a forward pass does in training and in evaluation";
  let description = [{
    Makes `evaluate` from `forward`. In each, `train.by_mode` is the operand of its mode, and what only the other
    one needs is gone. In `evaluate`, the result of a dropout is its operand, `train.batch_norm` uses the running
    statistics, and no state is written. In `forward`, `train.batch_norm` uses the batch's
    statistics and updates the running ones. If `forward` draws random numbers, the random state counts
    that, and where nothing is drawn there is no random state. Random numbers that are no dropout's are drawn in
    `evaluate`, too, which leaves the count as it is.
  }];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def Raise : Pass<"dlc-raise", "::mlir::ModuleOp"> {
  let summary = "Make whole operations of formulas that exporters write";
  let description = [{
    GELU (by the error function or by tanh), SiLU and layer normalization are recognized where a model has
    their formulas, whatever the order of factors and summands. The gradient of a whole operation keeps fewer
    tensors than that of its formula. Of attention, which has no operation of its own, masks are simplified.
    Runs after the canonicalizer and the merging of equal operations.
  }];
  let dependentDialects = ["::nn::NNDialect"];
}

def SetPrecision : Pass<"dlc-set-precision", "::mlir::ModuleOp"> {
  let summary = "Have products computed from operands of low precision";
  let description = [{
    Casts the operands of matrix products and convolutions to the low type of the recipe's `precision` (`nn.cast`), and makes their sums `wide`:
    f32. Operations that only move elements move low ones where a product alone reads them. All else, and all
    state, stays f32. As gradients are derived from the program with its casts, the products of the backward pass
    have low operands and wide sums as well. The program has the attribute `precision` afterwards.
    Nothing is done where the recipe has none.
  }];
  let dependentDialects = ["::nn::NNDialect", "::train::TrainDialect"];
}

def NoteRecognized : Pass<"dlc-note-recognized", "::mlir::ModuleOp"> {
  let summary = "Say in the program which whole functions it has";
  let description = [{
    The program's attribute `recognized` says how often each function is computed as a whole (GELU, layer normalization,
    attention ...), and `nearly_recognized` which nodes nearly belong to one, and why they do not: what `dlc check` says,
    for those who read the manifest. Programs that have neither get no attribute.
  }];
}

def VerifyForward : Pass<"dlc-verify-forward", "::mlir::ModuleOp"> {
  let summary = "Check what the stage forward promises";
  let description = [{
    There are the functions `forward` and `evaluate`. No `train.batch_norm` and no `train.by_mode` is
    left, and no dropout in `evaluate`. Either both functions have exactly one `train.loss`, or none has one. In a program of low
    precision, products have low operands and give f32.
  }];
}

#endif
