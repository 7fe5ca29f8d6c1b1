//===- Passes.td - passes of the stage plan --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_PLAN_PASSES
#define DLC_PLAN_PASSES

include "mlir/Pass/PassBase.td"

def Plan : Pass<"dlc-plan", "::mlir::ModuleOp"> {
  let summary = "Give every tensor a place in one arena";
  let description = [{
    States get fixed offsets, in order of declaration; behind them lies the working memory that all functions
    share. Within a function each launch is a position; a tensor is live from the launch that makes it to
    the last one that reads it. The packer turns these intervals into offsets.

    - A launch's result takes the place of an operand that no later launch reads, if the kernel's schedule has
      the pair in `inplace` and if all uses of the operand in the launch are such uses.
    - A result that is written to an output is computed in the caller's memory.
    - A result that is a state's new value is computed in the state's place if no launch reads the old
      value any more (or if this launch is the last one to read it, and the schedule allows it). Otherwise it
      is copied there when the function ends.
    - Reshapes cost nothing: they are the same bytes with another shape.

    Launches then read and write `train.place`s. Each place carries the number of the `value` that it holds;
    with these numbers, `dlc-verify-plan` follows values through memory. The program gets `arena_bytes` and
    `lower_bound_bytes`: the states plus the largest sum of live bytes in any function.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def JoinParts : Pass<"dlc-join-parts", "::mlir::ModuleOp"> {
  let summary = "Training functions that go over a batch in parts do what they do for each part";
  let description = [{
    In a program with the attribute `batch_parts`, the functions for one part are copied to the beginning of the
    functions that name them in `phases`. What lies in an input that the batch cuts begins as many parts after the
    input's beginning. Values of states and inputs keep one number from phase to phase, so that `dlc-verify-plan`
    follows them. The functions for one part are erased.
  }];
}

def VerifyPlan : Pass<"dlc-verify-plan", "::mlir::ModuleOp"> {
  let summary = "Check the promise of the stage plan";
  let description = [{
    Follows each function's launches and remembers which value each range of bytes holds: every read must
    find its value whole, every place must be aligned to 64 bytes and inside the arena, and no launch may
    write over an operand, except where its schedule allows it and the place is the same.
  }];
}

#endif
