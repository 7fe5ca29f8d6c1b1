//===- NN.h - the nn dialect -----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor operations with value semantics, and the interface of gradient rules.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_NN_H
#define DLC_DIALECTS_NN_NN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nn {

/// Which operands have a gradient rule.
template <unsigned... Index> struct DifferentiableOperands {
  template <typename Op> class Impl : public mlir::OpTrait::TraitBase<Op, Impl> {
  public:
    static bool differentiableOperand(unsigned operand) { return ((operand == Index) || ...); }
  };
};

/// The gradient is stopped here, on purpose.
template <typename Op> class NotDifferentiable : public mlir::OpTrait::TraitBase<Op, NotDifferentiable> {};

/// An element of the result depends on the operands' elements at its place only, after broadcasting.
template <typename Op> class Elementwise : public mlir::OpTrait::TraitBase<Op, Elementwise> {};

/// With --precision=tf32 or bf16: computed from operands of the low type, with sums in f32.
template <typename Op> class LowPrecision : public mlir::OpTrait::TraitBase<Op, LowPrecision> {};
/// Only moves elements, of whichever type they are.
template <typename Op> class FollowsPrecision : public mlir::OpTrait::TraitBase<Op, FollowsPrecision> {};

} // namespace nn

#include "dialects/nn/GradientInterface.h.inc"
#include "dialects/nn/NNDialect.h.inc"
#include "dialects/nn/NNEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nn/NNAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/nn/NNOps.h.inc"

namespace nn {

/// The state that the operation draws random numbers from; null where it draws none.
mlir::Value randomStateOf(mlir::Operation *op);

} // namespace nn

#endif // DLC_DIALECTS_NN_NN_H
