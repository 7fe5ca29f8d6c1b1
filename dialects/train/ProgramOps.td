//===- ProgramOps.td - train: program, state, functions --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_PROGRAM_OPS
#define DLC_TRAIN_PROGRAM_OPS

include "dialects/nn/GradientInterface.td"
include "dialects/train/FactAttrs.td"

def Train_ProgramOp : Train_Op<"program", [Symbol, SymbolTable, IsolatedFromAbove, NoTerminator, SingleBlock,
                                           NoRegionArguments]> {
  let summary = "a model and how it is trained";
  let description = [{
    The symbol is the C prefix of the generated functions. `precision` is a low precision of products. `loss_scale` names
    the hyperparameter that the loss is multiplied by while gradients flow back. `batch_parts` is in how many parts the
    training functions go over a batch, if not in one (docs/rationale/memory.md). `budget` is a memory budget, and
    `recompute` what it has computed again; `plan`, from the stage `plan` on, is how many bytes an instance takes.
    `recognized` and `nearly_recognized` are for the manifest.

    ```mlir
    train.program @mlp {
      train.dim @batch = 64
      train.state parameter @fc1.weight : tensor<256x784xf32> = dense<0.0>
      train.input @image : tensor<?x784xf32, #nn.dims<batch, _>>
      ...
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<Train_PrecisionAttr>:$precision,
                       OptionalAttr<FlatSymbolRefAttr>:$loss_scale, OptionalAttr<I64Attr>:$batch_parts,
                       OptionalAttr<Train_BudgetAttr>:$budget, OptionalAttr<Train_RecomputeAttr>:$recompute,
                       OptionalAttr<Train_ProgramPlanAttr>:$plan,
                       OptionalAttr<Train_ListOf<Train_RecognizedAttr, "recognized functions">>:$recognized,
                       OptionalAttr<Train_ListOf<Train_NearMissAttr, "near misses">>:$nearly_recognized);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name (`precision` $precision^)? attr-dict-with-keyword $body";
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name), [{
      $_state.getOrAddProperties<Properties>().setSymName($_builder.getStringAttr(name));
      $_state.addRegion();
    }]>];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Train_DimOp : Train_Op<"dim", [Symbol, HasParent<"ProgramOp">]> {
  let summary = "a named dim and its bound";
  let description = [{
    Tensors whose type names the dim have 1 to `bound` entries along it. In `train_step`, `grad_step` and
    `accumulate` the dim is the bound. Of an `open` dim, `train_step_n`, `grad_step_n` and `accumulate_n` take any
    size, but fewer than `least` where it is given: batch normalization of one value has nothing to normalize. The
    first named dim is the batch.

    ```mlir
    train.dim @batch = 64
    train.dim open @seq = 256
    train.dim open @rows = 64 least 2
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$bound, UnitAttr:$open, OptionalAttr<I64Attr>:$least);
  let assemblyFormat = "(`open` $open^)? $sym_name `=` $bound (`least` $least^)? attr-dict";
  let extraClassDeclaration = [{
    /// The smallest size that training takes.
    int64_t leastSize() { return getLeast().value_or(1); }
  }];
  let hasVerifier = 1;
}

def Train_StateOp : Train_Op<"state", [Symbol, HasParent<"ProgramOp">,
                                       DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a tensor that lives between calls";
  let description = [{
    Kinds: `parameter` (trainable unless `frozen`), `buffer` (running statistics), `optimizer_state` and
    `gradient` (of the parameter `owner`; a `tensor<f64>` may have none), `hyperparameter` (rank 0, f64, set at run
    time), `rng`
    (`tensor<2xi64>`: seed, draws), `step_count` (`tensor<i64>`), `constant`.

    `type` is the logical form, which users see. The physical form, which functions read and write from the stage
    `layout` on, follows from the `layout` (`#train.layout`); without one it is the logical form. `initial` holds
    logical row-major values; without it the state starts at zero. `offset` is its place in the arena
    from the stage `plan` on. `range [low, limit)` says which values a hyperparameter may have; the runtime
    refuses others.

    Of an optimizer's states, an `average` is the moving average of its parameter. Two gradients of no parameter, which
    are numbers (`tensor<f64>`), are marked: the `gradient_weight` is the weight of the labels that gradients are the
    mean over, and to the `part_loss` each part of a batch adds its share of the loss.

    ```mlir
    train.state parameter @fc1.weight : tensor<256x784xf32> = dense<0.0>
    train.state optimizer_state @fc1.weight.exp_avg of @fc1.weight : tensor<256x784xf32>
    train.state hyperparameter @beta1 range [0.0, 1.0) : tensor<f64> = dense<0.9>
    ```
  }];
  let arguments = (ins Train_StateKindAttr:$kind, SymbolNameAttr:$sym_name,
                       OptionalAttr<FlatSymbolRefAttr>:$owner, UnitAttr:$frozen,
                       TypeAttrOf<AnyRankedTensor>:$type, OptionalAttr<ElementsAttr>:$initial,
                       OptionalAttr<Train_LayoutAttr>:$layout, OptionalAttr<I64Attr>:$offset, OptionalAttr<F64Attr>:$low,
                       OptionalAttr<F64Attr>:$limit, UnitAttr:$average, UnitAttr:$gradient_weight, UnitAttr:$part_loss);
  let assemblyFormat = [{custom<Keyword>($kind) $sym_name (`of` $owner^)? (`frozen` $frozen^)?
                         (`range` `[` $low^ `,` $limit `)`)?
                         (`layout` $layout^)? (`at` $offset^)? attr-dict
                         `:` custom<TypeAndInitial>($type, $initial)}];
  let builders = [
    /// Without a place or a layout.
    OpBuilder<(ins "StateKind":$kind, "::llvm::StringRef":$name, "::mlir::FlatSymbolRefAttr":$owner,
                   "bool":$frozen, "::mlir::Type":$type, "::mlir::ElementsAttr":$initial), [{
      auto &properties = $_state.getOrAddProperties<Properties>();
      properties.setKind(StateKindAttr::get($_builder.getContext(), kind));
      properties.setSymName($_builder.getStringAttr(name));
      properties.setOwner(owner);
      properties.setFrozen(frozen ? $_builder.getUnitAttr() : ::mlir::UnitAttr());
      properties.setType(::mlir::TypeAttr::get(type));
      properties.setInitial(initial);
    }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type that functions read and write: the logical type as the layout stores it.
    ::mlir::RankedTensorType getPhysicalType();
    bool isTrainable() { return getKind() == StateKind::Parameter && !getFrozen(); }
  }];
}

def Train_InputOp : Train_Op<"input", [Symbol, HasParent<"ProgramOp">]> {
  let summary = "a tensor that the caller passes";
  let description = [{
    A `target` is needed for the loss only. `range [low, limit)` marks class indices or row numbers, which
    the runtime checks before each call; `ignore` is an extra value that is allowed. Labels have the shape of
    the prediction without its `class_axis`. What only a `derivative` is given is a target, too.

    ```mlir
    train.input @image : tensor<?x784xf32, #nn.dims<batch, _>>
    train.input target @labels range [0, 10) ignore -100 class_axis 1 : tensor<?xi64, #nn.dims<batch>>
    ```
  }];
  let arguments = (ins UnitAttr:$target, SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$low,
                       OptionalAttr<I64Attr>:$limit, OptionalAttr<I64Attr>:$ignore,
                       TypeAttrOf<AnyRankedTensor>:$type, OptionalAttr<I64Attr>:$class_axis,
                       OptionalAttr<Train_DerivativeOfAttr>:$derivative);
  let assemblyFormat = [{(`target` $target^)? $sym_name (`range` `[` $low^ `,` $limit `)`)?
                         (`ignore` $ignore^)? (`class_axis` $class_axis^)? (`derivative` $derivative^)?
                         attr-dict `:` $type}];
  let builders = [
    /// Without a class axis, and of no derivative.
    OpBuilder<(ins "bool":$target, "::llvm::StringRef":$name, "::mlir::IntegerAttr":$low,
                   "::mlir::IntegerAttr":$limit, "::mlir::IntegerAttr":$ignore, "::mlir::RankedTensorType":$type), [{
      build($_builder, $_state, target, name, low, limit, ignore, type, ::mlir::IntegerAttr(), DerivativeOfAttr());
    }]>];
  let hasVerifier = 1;
}

def Train_OutputOp : Train_Op<"output", [Symbol, HasParent<"ProgramOp">]> {
  let summary = "a tensor that the caller gets";
  let description = [{
    What is `of_step` has a role of `eval_step` (loss_sum, loss_weight, correct), but is written by functions that train,
    of their own batch. An `index_range` is what the runtime needs to check computed indices, and has the role `correct`,
    though it is no number of rows: the smallest one, the largest one, and the range [low, limit) for them. A prediction
    may be given by a `derivative` only.

    ```mlir
    train.output prediction @scores : tensor<?x10xf32, #nn.dims<batch, _>>
    train.output loss @loss : tensor<f32>
    ```
  }];
  let arguments = (ins Train_OutputRoleAttr:$role, SymbolNameAttr:$sym_name,
                       TypeAttrOf<AnyRankedTensor>:$type, UnitAttr:$of_step, UnitAttr:$index_range,
                       OptionalAttr<Train_DerivativeOfAttr>:$derivative);
  let assemblyFormat = [{custom<Keyword>($role) $sym_name (`derivative` $derivative^)? attr-dict `:` $type}];
  let builders = [
    OpBuilder<(ins "OutputRole":$role, "::llvm::StringRef":$name, "::mlir::Type":$type), [{
      auto &properties = $_state.getOrAddProperties<Properties>();
      properties.setRole(OutputRoleAttr::get($_builder.getContext(), role));
      properties.setSymName($_builder.getStringAttr(name));
      properties.setType(::mlir::TypeAttr::get(type));
    }]>];
  let hasVerifier = 1;
}

def Train_FunctionOp : Train_Op<"function", [Symbol, IsolatedFromAbove, HasParent<"ProgramOp">, SingleBlock,
                                             NoTerminator, NoRegionArguments,
                                             DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a function of the program";
  let description = [{
    After the stage `import` there is one function, the model itself: `forward`. The stage `forward` adds
    `evaluate`, the model in evaluation mode. From these two the stage `backward` makes the exported
    functions: `train_step`, `grad_step`, `accumulate`, `apply`, `eval_step`, `predict`, and, where a dim is
    `open`, `train_step_n`, `grad_step_n` and `accumulate_n`. The symbol is the kind's name.

    A `derivative` is a function of the kind `predict`; a `jacobian` is one of which a function of C makes whole
    Jacobians. Where a program goes over a batch in parts, functions for `one_part` are called by the `phases` of those
    that train, before their own operations; from the stage `plan` on, they are in these functions, which say of how
    many parts (`batch_parts`). `plan` is how much working memory the function takes, and `recomputed` what it computes
    again to take so little.

    ```mlir
    train.function train_step @train_step { ... }
    train.function predict @vjp derivative vjp { ... }
    train.function grad_step @grad_step attributes {phases = [#train.phase<@first, 0>, #train.phase<@next, 1>]} { ... }
    ```
  }];
  let arguments = (ins Train_FunctionKindAttr:$kind, SymbolNameAttr:$sym_name,
                       OptionalAttr<Train_DerivativeAttr>:$derivative, UnitAttr:$jacobian, UnitAttr:$one_part,
                       OptionalAttr<Train_ListOf<Train_PhaseAttr, "phases, #train.phase<@function, part>">>:$phases,
                       OptionalAttr<I64Attr>:$batch_parts, OptionalAttr<Train_RecomputedAttr>:$recomputed,
                       OptionalAttr<Train_FunctionPlanAttr>:$plan);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{custom<Keyword>($kind) $sym_name (`derivative` $derivative^)? attr-dict-with-keyword $body}];
  let builders = [
    OpBuilder<(ins "FunctionKind":$kind, "::llvm::StringRef":$name), [{
      auto &properties = $_state.getOrAddProperties<Properties>();
      properties.setKind(FunctionKindAttr::get($_builder.getContext(), kind));
      properties.setSymName($_builder.getStringAttr(name));
      $_state.addRegion();
    }]>];
}

def Train_ReadOp : Train_Op<"read", [MemoryEffects<[MemRead<Train_StateResource>]>,
                                     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a state or input when the function is entered";
  let description = [{
    ```mlir
    %w = train.read @fc1.weight : tensor<256x784xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs AnyRankedTensor:$value);
  let assemblyFormat = "$symbol attr-dict `:` type($value)";
}

def Train_WriteOp : Train_Op<"write", [MemoryEffects<[MemWrite<Train_StateResource>]>,
                                       DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a state or output when the function returns";
  let description = [{
    ```mlir
    train.write %w1, @fc1.weight : tensor<256x784xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, FlatSymbolRefAttr:$symbol);
  let assemblyFormat = "$value `,` $symbol attr-dict `:` type($value)";
}

def Train_DimSizeOp : Train_Op<"dim_size", [Pure]> {
  let summary = "the actual size of a named dim";
  let description = [{
    `dim` is a product of named dims in canonical form (`#nn.dims`).

    ```mlir
    %n = train.dim_size "batch" : index
    ```
  }];
  let arguments = (ins StrAttr:$dim);
  let results = (outs Index:$size);
  let assemblyFormat = "$dim attr-dict `:` type($size)";
  let hasVerifier = 1;
}

def Train_LossOp : Train_Op<"loss", [MemoryEffects<[MemWrite<Train_StateResource>]>]> {
  let summary = "what is minimised: the border between forward and backward";
  let description = [{
    `value` (rank 0) is the loss. `weight` (rank 0) is the number by which a mean loss was divided, so that
    evaluation can average over batches.

    ```mlir
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, AnyRankedTensor:$weight);
  let assemblyFormat = "$value `,` $weight attr-dict `:` type($value) `,` type($weight)";
  let hasVerifier = 1;
}

def Train_GradientOp : Train_Op<"gradient", [Pure, AllTypesMatch<["value", "result"]>,
                                             DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the gradient of a parameter: the border between backward and update";
  let description = [{
    The result is the operand. What processes gradients (all-reduce, accumulation, clipping) comes after this
    operation.

    ```mlir
    %g1 = train.gradient %g, @fc1.weight : tensor<256x784xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, FlatSymbolRefAttr:$parameter);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value `,` $parameter attr-dict `:` type($value)";
}

def Train_BatchNormOp : Train_Op<"batch_norm", [Pure, AllTypesMatch<["x", "y"]>,
                                                DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "batch normalization that keeps running statistics";
  let description = [{
    In training mode `nn.batch_norm`, and `running = momentum * running + (1 - momentum) * batch` for mean
    and variance: the population's, divided by n, with `biased`, as ONNX's text says; else the unbiased, divided
    by n - 1, as PyTorch does (a single value per channel has none: its variance is the population's, 0);
    in evaluation mode `nn.batch_norm_inference` with the running statistics. The stage `forward` chooses.

    ```mlir
    %y = train.batch_norm %x, %scale, %bias running @bn.mean, @bn.var momentum 0.9 epsilon 1.0e-5
        : tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$scale, AnyRankedTensor:$bias,
                       FlatSymbolRefAttr:$mean, FlatSymbolRefAttr:$variance, F64Attr:$momentum,
                       F64Attr:$epsilon, UnitAttr:$biased);
  let results = (outs AnyRankedTensor:$y);
  let assemblyFormat = [{$x `,` $scale `,` $bias `running` $mean `,` $variance `momentum` $momentum
                         `epsilon` $epsilon (`biased` $biased^)? attr-dict
                         `:` type($x) `,` type($scale) `,` type($bias)}];
}

def Train_ByModeOp : Train_Op<"by_mode", [Pure, AllTypesMatch<["training", "evaluation", "result"]>,
                                         DeclareOpInterfaceMethods<GradientOpInterface, ["gradient"]>]> {
  let summary = "one value in training mode, another one in evaluation mode";
  let description = [{
    The stage `forward` chooses, and takes out what only the other mode computes.

    ```mlir
    %y = train.by_mode %noisy, %x : tensor<64x10xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$training, AnyRankedTensor:$evaluation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$training `,` $evaluation attr-dict `:` type($result)";
  let extraClassDeclaration = [{
    static bool differentiableOperand(unsigned) { return true; }
  }];
}

#endif
