//===- FactAttrs.td - train: what stages tell each other -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage learns from another only what stands in the program. What is no operation, operand or number of one stands in
// these attributes. Which operation has them, the operations say; operations of other dialects have the attributes that
// the dialect declares itself (TrainBase.td).
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_FACT_ATTRS
#define DLC_TRAIN_FACT_ATTRS

include "dialects/train/TrainBase.td"

class Train_FactAttr<string name, string attrMnemonic, string sentence> : AttrDef<Train_Dialect, name> {
  let mnemonic = attrMnemonic;
  let summary = sentence;
  let genVerifyDecl = 1;
}
class Train_ListOf<AttrDef attribute, string elements>
    : TypedArrayAttrBase<attribute, "list of " # elements>;

//===-- Precision and derivatives ----------------------------------------------===//

def Train_Precision : Train_Enum<"Precision", "a low precision of products", [
    I32EnumAttrCase<"TF32", 0, "tf32">, I32EnumAttrCase<"BF16", 1, "bf16">, I32EnumAttrCase<"FP16", 2, "fp16">]>;
def Train_PrecisionAttr : EnumAttr<Train_Dialect, Train_Precision, "precision"> {
  let summary = "a low precision: `precision tf32`, `precision bf16` or `precision fp16` behind the name";
}

def Train_Derivative : Train_Enum<"Derivative", "which derivative", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Vjp", 1, "vjp">, I32EnumAttrCase<"Jvp", 2, "jvp">,
    I32EnumAttrCase<"Hvp", 3, "hvp">]>;
def Train_DerivativeAttr : EnumAttr<Train_Dialect, Train_Derivative, "derivative">;

def Train_DerivativeOfAttr : Train_FactAttr<"DerivativeOf", "derivative_of", "what only a derivative is given or gives"> {
  let description = [{
    `of` is the input or the prediction that it is the derivative of. What belongs to the Hessian-vector product has
    none: that is a derivative of the loss by all parameters.

    ```mlir
    train.input target @scores_cotangent derivative <vjp of @scores> : tensor<8x10xf32>
    train.output prediction @product derivative <hvp> : tensor<570xf32>
    ```
  }];
  let parameters = (ins EnumParameter<Train_Derivative>:$derivative,
                        OptionalParameter<"::mlir::FlatSymbolRefAttr">:$of);
  let assemblyFormat = "`<` $derivative (`of` $of^)? `>`";
}

//===-- A batch in parts -------------------------------------------------------===//

def Train_PhaseAttr : Train_FactAttr<"Phase", "phase", "what a function does before its own operations"> {
  let description = "The function `function`, which works on one part of a batch, on part number `part`.";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$function, "int64_t":$part);
  let assemblyFormat = "`<` $function `,` $part `>`";
}

//===-- Memory -----------------------------------------------------------------===//

def Train_ProgramPlanAttr : Train_FactAttr<"ProgramPlan", "program_plan", "how many bytes an instance takes"> {
  let description = [{
    `states` are those of all states, which lie first in the arena; `arena` has behind them the working memory of the
    function that needs most of it. No plan has an arena of fewer bytes than `bound`.
  }];
  let parameters = (ins "int64_t":$states, "int64_t":$arena, "int64_t":$bound);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Train_FunctionPlanAttr : Train_FactAttr<"FunctionPlan", "function_plan", "how many bytes of working memory a function takes"> {
  let description = "No plan takes fewer bytes than `bound`.";
  let parameters = (ins "int64_t":$working, "int64_t":$bound);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Train_BudgetAttr : Train_FactAttr<"Budget", "budget", "a memory budget"> {
  let description = "How many bytes the arena may have, and how many it would have without a budget.";
  let parameters = (ins "int64_t":$bytes, "int64_t":$without);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Train_RecomputeAttr : Train_FactAttr<"Recompute", "recompute", "how much a memory budget has computed again"> {
  let description = "From the choice to the pass that does what was chosen (dlc-recompute), which takes it away.";
  let parameters = (ins "int64_t":$price, "int64_t":$layers);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===-- Kernels ----------------------------------------------------------------===//

def Train_MemberAttr : Train_FactAttr<"Member", "member", "which kernel a loop nest becomes part of"> {
  let description = [{
    Loop nests with the same `kernel` become one kernel, in the stage `fuse`. Where nests of it have different steps, they
    run one step after the other inside the loops that all nests share. `shared` says which of the nest's loops these
    are, in the order that they have in all nests.

    ```mlir
    linalg.generic {..., train.member = #train.member<3, step 1, shared [0, 2]>}
    ```
  }];
  let parameters = (ins "int64_t":$kernel, DefaultValuedParameter<"int64_t", "0">:$step,
                        OptionalArrayRefParameter<"int64_t">:$shared);
  let hasCustomAssemblyFormat = 1; // two optional parts that begin with a comma
}

def Train_KernelRole : Train_Enum<"KernelRole", "what a loop nest does in a kernel that makes matrices tile by tile", [
    I32EnumAttrCase<"Scores", 0, "scores">, I32EnumAttrCase<"Mask", 1, "mask">, I32EnumAttrCase<"RowMax", 2, "row_max">,
    I32EnumAttrCase<"Exponentials", 3, "exponentials">, I32EnumAttrCase<"RowSum", 4, "row_sum">,
    I32EnumAttrCase<"RowValue", 5, "row_value">, I32EnumAttrCase<"RowFactor", 6, "row_factor">,
    I32EnumAttrCase<"Probabilities", 7, "probabilities">, I32EnumAttrCase<"Values", 8, "values">,
    I32EnumAttrCase<"Producer", 9, "producer">, I32EnumAttrCase<"Elementwise", 10, "elementwise">,
    I32EnumAttrCase<"Consumer", 11, "consumer">]>;

def Train_RoleAttr : Train_FactAttr<"Role", "role", "what a loop nest does in a kernel that makes matrices tile by tile"> {
  let description = [{
    The first nine roles are those of an attention (Attention.h), whose kernel has one nest each with the roles `scores`,
    `row_max`, `exponentials`, `row_sum` and `values`. The last three are those of transient matrices (Transient.h).
    A nest without a role comes after these. `number` counts nests of one role. `loops` says for each loop of the nest which loop
    of the scores, or of the first producer, it is; -1 for loops that these do not have.

    ```mlir
    linalg.generic {..., train.role = #train.role<values, loops [0, 1, -1, 2]>}
    linalg.generic {..., train.role = #train.role<producer 1, loops [0, 2, 1, -1]>}
    ```
  }];
  let parameters = (ins EnumParameter<Train_KernelRole>:$role, DefaultValuedParameter<"int64_t", "0">:$number,
                        OptionalArrayRefParameter<"int64_t">:$loops);
  let hasCustomAssemblyFormat = 1; // an optional number
}

//===-- For people -------------------------------------------------------------===//

def Train_RecomputedAttr : Train_FactAttr<"Recomputed", "recomputed", "what a function computes again instead of keeping it"> {
  let description = [{
    The nodes of the model, and the share of the function's operations. No stage acts on it: it goes to the manifest.
  }];
  let parameters = (ins "int64_t":$permille, ArrayRefParameter<"::mlir::StringAttr">:$nodes);
  let assemblyFormat = "`<` $permille `,` `[` $nodes `]` `>`";
}

def Train_RecognizedAttr : Train_FactAttr<"Recognized", "recognized", "a whole function that was recognized, and how often"> {
  let parameters = (ins StringRefParameter<>:$function, "int64_t":$count);
  let assemblyFormat = "`<` $function `,` $count `>`";
}

def Train_NearMissAttr : Train_FactAttr<"NearMiss", "near_miss", "a node that is nearly part of a whole function"> {
  let parameters = (ins StringRefParameter<>:$node, StringRefParameter<>:$why);
  let assemblyFormat = "`<` $node `,` $why `>`";
}

#endif
