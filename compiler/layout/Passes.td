//===- Passes.td - passes of the stage layout ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_LAYOUT_PASSES
#define DLC_LAYOUT_PASSES

include "mlir/Pass/PassBase.td"

def Layout : Pass<"dlc-layout", "mlir::ModuleOp"> {
  let summary = "choose how states and activations lie in memory";
  let description = [{
    Contractions say along which dim of their tensors vectors should run; tensors that are worked on element by element
    lie alike. States get their `#train.layout`, all other tensors an order of their dims; types, indexing maps and the
    order of loops follow. Where two sides differ, a loop nest that only moves elements (its `doc` is "layout") stands
    between them. Slices and joins become parts of places, or copies where they cannot. docs/rationale/layout.md says how
    all this is chosen.
  }];
  let options = [
    Option<"triple", "triple", "std::string", /*default=*/"\"\"", "target triple; empty: this machine's">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"", "LLVM's name of the CPU; empty: native, or generic">
  ];
  let dependentDialects = ["::train::TrainDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def VerifyLayout : Pass<"dlc-verify-layout", "mlir::ModuleOp"> {
  let summary = "check what the stage layout promises";
  let description = [{
    The parallel loops of a nest come first, and it writes its result in their order. Vectors along the last of these
    loops do not run across operands of contractions. Every view shows elements at strides of one tensor, and each part
    of a join is made by one operation that can write it there.
  }];
}

#endif
