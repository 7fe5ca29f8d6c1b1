//===- ScheduleInterface.td - what all targets' schedules have -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_SCHEDULE_INTERFACE
#define DLC_TRAIN_SCHEDULE_INTERFACE

include "mlir/IR/OpBase.td"

def Train_ScheduleInterface : AttrInterface<"ScheduleInterface"> {
  let description = [{
    How a kernel runs on one target. The attribute that says so belongs to the target; this is all that the
    rest of the compiler asks it.
  }];
  let cppNamespace = "::train";
  let methods = [
    InterfaceMethod<"Pairs (argument, result) of the kernel that may share storage, one after the other",
      "::llvm::ArrayRef<int64_t>", "inplace">,
    InterfaceMethod<"Bytes that each chunk needs beside its arguments and results",
      "int64_t", "scratchBytes">,
    InterfaceMethod<"How many chunks the work is cut into, at the bounds of open dims; 1: not cut",
      "int64_t", "chunks">,
    InterfaceMethod<"What the manifest says of the kernel: at least its `kind`, a string",
      "::mlir::DictionaryAttr", "describe">
  ];
}

#endif
