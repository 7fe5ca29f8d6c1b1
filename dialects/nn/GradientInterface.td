//===- GradientInterface.td - gradient rules as an op interface -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_GRADIENT_INTERFACE
#define DLC_NN_GRADIENT_INTERFACE

include "mlir/IR/OpBase.td"

def GradientOpInterface : OpInterface<"GradientOpInterface"> {
  let description = [{
    A gradient rule: a pure function from the gradients of an operation's results to the gradients of
    its operands, written with `nn` operations. The reverse-mode engine (compiler/backward) does the
    rest: it decides the order and which values to keep, adds up gradients, and knows which are zero.
  }];
  let cppNamespace = "::nn";
  let methods = [
    StaticInterfaceMethod<"Whether the rule can give a gradient for this operand",
      "bool", "isDifferentiable", (ins "unsigned":$operand),
      [{ return ConcreteOp::differentiableOperand(operand); }]>,
    InterfaceMethod<[{
        The gradients of the operands. `dResults` holds one gradient per result, null for a result that
        nothing differentiable uses (at least one is not null). The rule returns one value per operand,
        with the operand's shape and dtype, null where the operand is not differentiable or `needed` is
        false for it.
      }],
      "::llvm::SmallVector<::mlir::Value>", "gradient",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::ValueRange":$dResults,
           "::llvm::ArrayRef<bool>":$needed)>
  ];
}

#endif
