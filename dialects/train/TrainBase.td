//===- TrainBase.td - the train dialect: attributes, op classes ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_BASE
#define DLC_TRAIN_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Train_Dialect : Dialect {
  let name = "train";
  let summary = "The structure of a training program: state, functions, updates, kernels";
  let description = [{
    A `train.program` declares what lives between steps (`train.state`), what the caller passes and gets
    (`train.input`, `train.output`) and the functions that a training library exports. A function reads
    each symbol once, writes each at most once at its end, and is pure SSA in between.

    From the stage `fuse` on, functions consist of `train.launch`es of `train.kernel`s; from `plan` on,
    launches work on places in one arena (`train.place`).
  }];
  let cppNamespace = "::train";
  let dependentDialects = ["::nn::NNDialect"];
  let useDefaultAttributePrinterParser = 1;
  // What operations of other dialects carry between stages; Facts.cpp verifies it.
  let discardableAttrs = (ins "::mlir::IntegerSetAttr":$nonzero, "::mlir::DenseI64ArrayAttr":$zeros_before,
                              "::train::MemberAttr":$member, "::train::RoleAttr":$role, "::mlir::IntegerAttr":$position);
  let hasOperationAttrVerify = 1;
}

class Train_Enum<string name, string sentence, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, sentence, cases> {
  let cppNamespace = "::train";
  let genSpecializedAttr = 0;
}
// The numbers of kinds and roles are those of dlc_symbol_kind and dlc_output_role in dlc/abi.h.
def Train_StateKind : Train_Enum<"StateKind", "what a piece of state is", [
    I32EnumAttrCase<"Parameter", 0, "parameter">, I32EnumAttrCase<"Buffer", 1, "buffer">,
    I32EnumAttrCase<"OptimizerState", 2, "optimizer_state">, I32EnumAttrCase<"Gradient", 3, "gradient">,
    I32EnumAttrCase<"Hyperparameter", 4, "hyperparameter">, I32EnumAttrCase<"Rng", 5, "rng">,
    I32EnumAttrCase<"StepCount", 6, "step_count">, I32EnumAttrCase<"Constant", 7, "constant">]>;
def Train_StateKindAttr : EnumAttr<Train_Dialect, Train_StateKind, "state_kind">;

def Train_OutputRole : Train_Enum<"OutputRole", "what an output means", [
    I32EnumAttrCase<"Loss", 0, "loss">, I32EnumAttrCase<"Prediction", 1, "prediction">,
    I32EnumAttrCase<"LossSum", 2, "loss_sum">, I32EnumAttrCase<"LossWeight", 3, "loss_weight">,
    I32EnumAttrCase<"Correct", 4, "correct">, I32EnumAttrCase<"GradNorm", 6, "grad_norm">]>;
def Train_OutputRoleAttr : EnumAttr<Train_Dialect, Train_OutputRole, "output_role">;

def Train_FunctionKind : Train_Enum<"FunctionKind", "what a function does", [
    I32EnumAttrCase<"Forward", 0, "forward">, I32EnumAttrCase<"Evaluate", 1, "evaluate">,
    I32EnumAttrCase<"TrainStep", 2, "train_step">, I32EnumAttrCase<"GradStep", 3, "grad_step">,
    I32EnumAttrCase<"Accumulate", 4, "accumulate">, I32EnumAttrCase<"Apply", 5, "apply">,
    I32EnumAttrCase<"EvalStep", 6, "eval_step">, I32EnumAttrCase<"Predict", 7, "predict">,
    I32EnumAttrCase<"TrainStepN", 8, "train_step_n">, I32EnumAttrCase<"GradStepN", 9, "grad_step_n">,
    I32EnumAttrCase<"AccumulateN", 10, "accumulate_n">]>;
def Train_FunctionKindAttr : EnumAttr<Train_Dialect, Train_FunctionKind, "function_kind">;

def Train_LayoutAttr : AttrDef<Train_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "how the elements of a tensor lie in memory";
  let description = [{
    Dim `i` in memory is dim `permutation[i]` of the tensor. With a `shape`, dims of the tensor are cut first: each is
    the product of neighbouring dims of `shape`, and the permutation is one of these. So `<[1, 0]>` stores a matrix
    by columns, and `<[0, 2, 1], shape = [8, 32, 784]>` stores a `tensor<256x784xf32>` as a `tensor<8x784x32xf32>`:
    its rows in eight panels of 32, each with all columns.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$permutation, OptionalArrayRefParameter<"int64_t">:$shape);
  let assemblyFormat = "`<` `[` $permutation `]` (`,` `shape` `=` `[` $shape^ `]`)? `>`";
  let extraClassDeclaration = [{
    /// The type in memory of a tensor of type `type`.
    ::mlir::RankedTensorType of(::mlir::RankedTensorType type) const;
    /// Where in memory the element lies that `map` reads of a tensor of type `type`.
    ::mlir::AffineMap of(::mlir::AffineMap map, ::mlir::RankedTensorType type) const;
    /// What each dim of a tensor is cut into, from the outermost piece to the innermost. Empty where the layout does
    /// not fit the shape.
    ::llvm::SmallVector<::llvm::SmallVector<int64_t, 2>> cuts(::llvm::ArrayRef<int64_t> sizes) const;
    bool isCut() const { return !getShape().empty(); }
  }];
}

class Train_Op<string mnemonic, list<Trait> traits = []> : Op<Train_Dialect, mnemonic, traits>;
def Train_StateResource : Resource<"::train::StateResource">;

#endif
