//===- ReductionOps.td - nn: reductions ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_REDUCTION_OPS
#define DLC_NN_REDUCTION_OPS

include "dialects/nn/NNBase.td"

// Nothing has no largest element.
defvar notEmpty = "- C3. No dim of `axes` has size 0.\n";

class NN_Reduction<string mnemonic, string sentence, string formula, Type type = NN_NumberTensor,
                   string constraints = "">
    : NN_DifferentiableOp<mnemonic, "0"> {
  let summary = sentence;
  let description = "`" # formula # "`. Without `keepdims` the reduced dims are dropped, else they stay with size 1." #
      "\n\n```mlir\n%y = nn." # mnemonic # " %x axes [1] keepdims : tensor<64x256xf32>   // 64x1\n```\n\n" #
      "Constraints:\n\n" #
      "- C1. Each of `axes` is in [0, rank of `x`).\n" #
      "- C2. `axes` are distinct and in increasing order.\n" # constraints;
  let arguments = (ins type:$x, DenseI64ArrayAttr:$axes, UnitAttr:$keepdims);
  let results = (outs type:$y);
  let assemblyFormat = "$x `axes` $axes (`keepdims` $keepdims^)? attr-dict `:` type($x)";
  let hasFolder = 1;
}
def NN_SumOp  : NN_Reduction<"sum", "sum over axes", "y = sum of x over axes; 0 for an empty axis">;
def NN_MeanOp : NN_Reduction<"mean", "mean over axes",
    "y = sum of x over axes / number of elements summed (the actual count of a named dim)", NN_FloatTensor>;
def NN_ReduceMaxOp : NN_Reduction<"reduce_max", "largest over axes",
    "y = max of x over axes; equal largest elements share the gradient evenly", NN_NumberTensor, notEmpty>;
def NN_ReduceMinOp : NN_Reduction<"reduce_min", "smallest over axes",
    "y = min of x over axes; equal smallest elements share the gradient evenly", NN_NumberTensor, notEmpty>;
def NN_ProdOp : NN_Reduction<"prod", "product over axes",
    "y = product of x over axes; 1 for an empty axis; the gradient is right with zeros too">;

class NN_ArgReduction<string mnemonic, string sentence> : NN_InferredOp<mnemonic, [NotDifferentiable]> {
  let summary = sentence;
  let description = "Of equal elements the first counts, with `last` the last; a NaN counts before all " #
      "numbers, and equals other NaNs. The result has dtype i64.\n\n" #
      "```mlir\n%y = nn." # mnemonic # " %x axis 1 : tensor<64x10xf32>   // tensor<64xi64>\n```\n\nConstraints:\n\n" #
      "- C1. `axis` is in [0, rank of `x`).\n" #
      "- C2. Dim `axis` does not have size 0.\n";
  let arguments = (ins NN_NumberTensor:$x, I64Attr:$axis, UnitAttr:$keepdims, UnitAttr:$last);
  let results = (outs NN_IndexTensor:$y);
  let assemblyFormat = "$x `axis` $axis (`keepdims` $keepdims^)? (`last` $last^)? attr-dict `:` type($x)";
}
def NN_ArgMaxOp : NN_ArgReduction<"argmax", "position of the largest element along an axis">;
def NN_ArgMinOp : NN_ArgReduction<"argmin", "position of the smallest element along an axis">;

#endif
