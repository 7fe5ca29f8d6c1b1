//===- RecipeOps.td - train: how a model is trained ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is minimised, and how, as a part of the program: an imported program is all that the stages forward and
// backward need. docs/rationale/recipe.md says why it is an operation, and who writes it.
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_RECIPE_OPS
#define DLC_TRAIN_RECIPE_OPS

include "dialects/train/FactAttrs.td"

//===-- The loss ---------------------------------------------------------------===//

def Train_LossKind : Train_Enum<"LossKind", "which loss is added to a model", [
    I32EnumAttrCase<"SoftmaxCrossEntropy", 0, "softmax_cross_entropy">, I32EnumAttrCase<"Mse", 1, "mse">,
    I32EnumAttrCase<"L1", 2, "l1">, I32EnumAttrCase<"Huber", 3, "huber">, I32EnumAttrCase<"Bce", 4, "bce">,
    I32EnumAttrCase<"BceWithLogits", 5, "bce_with_logits">, I32EnumAttrCase<"Nll", 6, "nll">,
    I32EnumAttrCase<"Ctc", 7, "ctc">, I32EnumAttrCase<"Output", 8, "output">]>;
def Train_Reduction : Train_Enum<"Reduction", "how the losses of samples, or the gradients of batches, become one", [
    I32EnumAttrCase<"Mean", 0, "mean">, I32EnumAttrCase<"Sum", 1, "sum">]>;
def Train_ReductionAttr : EnumAttr<Train_Dialect, Train_Reduction, "reduction">;
def Train_LabelType : Train_Enum<"LabelType", "the type of labels", [
    I32EnumAttrCase<"I64", 0, "i64">, I32EnumAttrCase<"I32", 1, "i32">, I32EnumAttrCase<"F32", 2, "f32">]>;

// A finite number, printed with as few digits as give it again.
class Train_Word<EnumInfo words, string default> : EnumParameter<words> {
  let defaultValue = default;
}
class Train_Number<string default> : DefaultValuedParameter<"::train::Number", default>;

def Train_LossAttr : Train_FactAttr<"Loss", "loss", "the loss that a model gets"> {
  let description = [{
    The settings are those of `dlc compile` (docs/losses.md), and each has its default where it is left out. `prediction`
    is the output that the loss is computed from, if it is not the only one; `class_weights` is a file. With
    `keep_activation` a softmax or sigmoid that the model ends in is applied although the loss applies it once more, as who
    wrote both means; files that were exported for inference have it for predictions only.

    ```mlir
    #train.loss<softmax_cross_entropy, label_smoothing = 0.1, ignore_index = 0>
    ```
  }];
  let parameters = (ins EnumParameter<Train_LossKind>:$kind, StringRefParameter<"", "\"\"">:$prediction,
                        Train_Word<Train_Reduction, "::train::Reduction::Mean">:$reduction,
                        DefaultValuedParameter<"int64_t", "-100">:$ignore_index, Train_Number<"0.0">:$label_smoothing,
                        StringRefParameter<"", "\"\"">:$class_weights,
                        Train_Word<Train_LabelType, "::train::LabelType::I64">:$label_type,
                        Train_Number<"1.0">:$delta, OptionalParameter<"std::optional<int64_t>">:$class_axis,
                        OptionalParameter<"std::optional<int64_t>">:$time_axis,
                        DefaultValuedParameter<"int64_t", "0">:$blank,
                        DefaultValuedParameter<"int64_t", "0">:$max_labels,
                        DefaultValuedParameter<"bool", "false">:$zero_infinity,
                        DefaultValuedParameter<"bool", "false">:$keep_activation);
  let assemblyFormat = [{
    `<` $kind (`,` struct($prediction, $reduction, $ignore_index, $label_smoothing, $class_weights, $label_type, $delta,
                          $class_axis, $time_axis, $blank, $max_labels, $zero_infinity, $keep_activation)^)? `>`
  }];
  let extraClassDeclaration = [{
    /// As on the command line, "softmax-cross-entropy".
    std::string getName() const;
  }];
}

//===-- The optimizer ----------------------------------------------------------===//

def Train_OptimizerAttr : Train_FactAttr<"Optimizer", "optimizer", "an optimizer and its settings"> {
  let description = [{
    `settings` has the initial values of hyperparameters (f64) and flags (unit) that are not the optimizer's own;
    OptimizerTable.cpp lists what each has.

    ```mlir
    #train.optimizer<sgd, learning_rate = 0.1, momentum = 0.9, nesterov>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name, "::mlir::DictionaryAttr":$settings);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// What is minimised with where nothing is said: sgd with its own settings.
    static OptimizerAttr getDefault(::mlir::MLIRContext *context);
    bool has(::llvm::StringRef flag) const { return getSettings().contains(flag); }
    /// The initial value of one of the optimizer's hyperparameters.
    double getInitialValue(::llvm::StringRef hyperparameter) const;
  }];
}

def Train_GroupAttr : Train_FactAttr<"Group", "group", "parameters with numbers of their own"> {
  let description = [{
    The text is the one of the command line, of headers and of manifests: globs with `|` between them, a colon, and
    numbers of the optimizer. What they match and set is checked with the parameters there (dlc-update).

    ```mlir
    #train.group<"*.bias|norm*:weight_decay=0,lr_scale=0.1">
    ```
  }];
  let parameters = (ins StringRefParameter<>:$text);
  let assemblyFormat = "`<` $text `>`";
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::llvm::StringRef> getGlobs() const;
    /// NAME=NUMBER each.
    ::llvm::SmallVector<::llvm::StringRef> getNumbers() const;
  }];
}

def Train_ClipKind : Train_Enum<"ClipKind", "what of the gradients is kept small", [
    I32EnumAttrCase<"Norm", 0, "norm">, I32EnumAttrCase<"Value", 1, "value">]>;
def Train_ClipAttr : Train_FactAttr<"Clip", "clip", "a bound of the gradients' common norm, or of each number of them"> {
  let parameters = (ins EnumParameter<Train_ClipKind>:$kind, "::train::Number":$largest);
  let assemblyFormat = "`<` $kind $largest `>`";
}

def Train_LossScaleAttr : Train_FactAttr<"LossScale", "loss_scale", "what the loss is multiplied by while gradients flow back"> {
  let description = "A `dynamic` one adjusts itself, and is 65536 at first; `initial` is the fixed one else.";
  let parameters = (ins "::train::Number":$initial, DefaultValuedParameter<"bool", "false">:$dynamic);
  let assemblyFormat = "`<` $initial (`,` struct($dynamic)^)? `>`";
  let extraClassDeclaration = [{
    static LossScaleAttr getDynamic(::mlir::MLIRContext *context);
  }];
}

//===-- All of it --------------------------------------------------------------===//

def Train_RecipeOp : Train_Op<"recipe", [HasParent<"ProgramOp">]> {
  let summary = "how the program's model is trained";
  let description = [{
    A program has at most one, which says what is still to be done: what adds the loss takes that out, and the end of the
    stage backward the rest. Without `loss`, the model's own is minimised, or nothing is trained; what else is left out
    has its default. `train` and `freeze` have globs of parameters, `no_decay` those of parameters without weight decay.
    `accumulate mean` makes the gradients of several batches those of one that has all of their samples. `ema_decay` keeps
    averages of parameters. With `grad_norm` each update tells the gradients' norm, with `step_metrics` each step what
    eval_step does. `functions` are derivatives that the library has beside: hvp; vjp, jvp or jacobian, perhaps with
    `:NAME|NAME...` behind it. With fp16, the loss scale is dynamic where none is given.

    ```mlir
    train.recipe loss <mse, reduction = sum> optimizer <adamw, learning_rate = 0.001> clip <norm 1.0> precision bf16
    ```
  }];
  let arguments = (ins OptionalAttr<Train_LossAttr>:$loss, OptionalAttr<Train_OptimizerAttr>:$optimizer,
                       OptionalAttr<Train_ListOf<Train_GroupAttr, "groups of parameters">>:$groups,
                       OptionalAttr<StrArrayAttr>:$no_decay, OptionalAttr<StrArrayAttr>:$train,
                       OptionalAttr<StrArrayAttr>:$freeze, OptionalAttr<Train_ClipAttr>:$clip,
                       OptionalAttr<F64Attr>:$ema_decay, OptionalAttr<Train_ReductionAttr>:$accumulate,
                       OptionalAttr<I64Attr>:$seed, OptionalAttr<Train_PrecisionAttr>:$precision,
                       OptionalAttr<Train_LossScaleAttr>:$loss_scale, UnitAttr:$grad_norm, UnitAttr:$step_metrics,
                       OptionalAttr<StrArrayAttr>:$functions);
  let assemblyFormat = [{
    (`loss` $loss^)? (`optimizer` $optimizer^)? (`groups` $groups^)? (`no_decay` $no_decay^)? (`train` $train^)?
    (`freeze` $freeze^)? (`clip` $clip^)? (`ema_decay` custom<Decimal>($ema_decay)^)? (`accumulate` custom<Keyword>($accumulate)^)? (`seed` $seed^)?
    (`precision` custom<Keyword>($precision)^)? (`loss_scale` $loss_scale^)? (`grad_norm` $grad_norm^)? (`step_metrics` $step_metrics^)?
    (`functions` $functions^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    OptimizerAttr getOptimizerOrDefault();
    /// That of the recipe, or the dynamic one of fp16; null where the loss is not scaled.
    LossScaleAttr getLossScaleInUse();
    bool addsMeans() { return getAccumulate() == Reduction::Mean; }
  }];
}

#endif
