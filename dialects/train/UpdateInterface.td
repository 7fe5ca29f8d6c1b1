//===- UpdateInterface.td - what all optimizer updates have ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_UPDATE_INTERFACE
#define DLC_TRAIN_UPDATE_INTERFACE

include "mlir/IR/OpBase.td"

def UpdateOpInterface : OpInterface<"UpdateOpInterface"> {
  let description = "An optimizer's update of one parameter.";
  let cppNamespace = "::train";
  let methods = [
    StaticInterfaceMethod<"Names of the slots, as PyTorch's state_dict has them (exp_avg ...)",
      "::llvm::ArrayRef<::llvm::StringRef>", "getSlotNames">,
    StaticInterfaceMethod<"Names of the hyperparameters, in operand order",
      "::llvm::ArrayRef<::llvm::StringRef>", "getHyperparameterNames">
  ];
}

#endif
