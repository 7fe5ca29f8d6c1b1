//===- UpdateBase.td - train: what optimizer updates share -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_UPDATE_BASE
#define DLC_TRAIN_UPDATE_BASE

include "dialects/train/TrainBase.td"
include "dialects/train/UpdateInterface.td"

// Updates follow PyTorch's formulas; those that it does not have follow their papers. `w` is the parameter, `g` its
// gradient, slots are shaped like them, but for `mu_product` and `eta`, which are rank-0 f64 tensors, and `row_var` and
// `col_var`, which have one element along the last axis and along the one before; hyperparameters are rank-0
// f64 tensors, read anew each step; `step` is the number of this update, from 1 (rank-0 i64). Results: the new
// parameter, then the new slots in order.
class Train_Update<string mnemonic, string sentence, string formula, dag slots, dag hyperparameters,
                   dag flags = (ins)>
    : Train_Op<mnemonic, [Pure, InferTypeOpAdaptor, DeclareOpInterfaceMethods<UpdateOpInterface>]> {
  let summary = sentence;
  let description = formula;
  let arguments = !con((ins AnyRankedTensor:$w, AnyRankedTensor:$g), slots, hyperparameters,
                       (ins AnyRankedTensor:$step), flags);
  let results = (outs Variadic<AnyRankedTensor>:$updated);
  let assemblyFormat = "operands attr-dict `:` type(operands)";
}

#endif
