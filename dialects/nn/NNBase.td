//===- NNBase.td - the nn dialect: types, attributes, op classes -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_BASE
#define DLC_NN_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/nn/GradientInterface.td"

def NN_Dialect : Dialect {
  let name = "nn";
  let summary = "Tensor operations of neural networks, with value semantics";
  let description = [{
    About seventy core operations on ranked tensors. Ranks are static; a dim is static or *named and
    bounded*: then its size in the tensor type is `?` and the type's encoding `#nn.dims` carries its
    name, so that a batch and a sequence of equal bound do not mix. Bounds are declared once per
    program (`train.dim`).

    Operations are pure. Result types are inferred when an operation is built. Binary operations
    broadcast like NumPy: shapes are aligned at the last dim and a dim of size 1 is stretched.

    Every operation either has a gradient rule (`GradientOpInterface`) or carries the trait
    `NotDifferentiable`, on purpose. Composite operations (softmax, layer norm, losses ...) stay whole
    until the backward graph exists and are then decomposed into the others.

    What must hold of an operation's operands and attributes is numbered in its description, and what must hold of
    those of all operations here. Unary elementwise operations and `constant` take their type as it is, and leave C2
    and C3 to the verifier of `train.program`.

    Constraints:

    - C1. Operands and results are of the types that are declared.
    - C2. Dynamic dims of a tensor have names (`#nn.dims`).
    - C3. A tensor has at most 2^36 elements, names and sizes of 0 counted as 1, and a rank of at most 64.
    - C4. The type of a result is the inferred one, where it is inferred.
  }];
  let cppNamespace = "::nn";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
}

def NN_DimsAttr : AttrDef<NN_Dialect, "Dims", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "dims";
  let summary = "names of a tensor's dynamic dims";
  let description = [{
    An entry is `_` where the dim is static; else the product of a constant and names that the dynamic dim
    stands for, in canonical form: the factor first (left out when 1), then the names in order, joined by `*`.

    ```mlir
    tensor<?x784xf32, #nn.dims<batch, _>>       // batch rows
    tensor<?x8xf32, #nn.dims<"32*batch", _>>    // 32 rows for each batch row
    ```

    Constraints:

    - C1. An entry is `_`, or names and perhaps a factor above 1, in canonical form.
    - C2. There is one entry per dim.
    - C3. The entry of a static dim is `_`, and that of a dynamic one is not.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names);
  let assemblyFormat = "`<` custom<DimNames>($names) `>`";
  let genVerifyDecl = 1;
}

// The element types of the dialect. bf16 and f16 are types of the system; i1 is a truth value. tf32 has the range of
// f32 and 10 bits behind the point; it lies in memory as f32. ui8 is a byte, as pixels have it: it is moved, compared
// and converted; what computes takes numbers that it was converted to.
def NN_Float : AnyTypeOf<[F32, F64, BF16, F16, TF32]>;
def NN_Integer : AnyTypeOf<[I32, I64]>;
def NN_Number : AnyTypeOf<[F32, F64, BF16, F16, TF32, I32, I64]>;
def NN_Element : AnyTypeOf<[F32, F64, BF16, F16, TF32, I32, I64, UI8, I1]>;
def NN_Tensor : RankedTensorOf<[NN_Element]>;
def NN_StoredTensor : RankedTensorOf<[F32, F64, BF16, F16, I32, I64, UI8, I1]>; // a type of constants
def NN_NumberTensor : RankedTensorOf<[NN_Number]>;
def NN_FloatTensor : RankedTensorOf<[NN_Float]>;
def NN_IndexTensor : RankedTensorOf<[NN_Integer]>;
def NN_BoolTensor : RankedTensorOf<[I1]>;

// Which operands have a gradient rule, by position.
class DifferentiableOperands<string operands> : ParamNativeOpTrait<"DifferentiableOperands", operands> {
  let cppNamespace = "::nn";
}
// The operation has no useful derivative (integers, comparisons, positions): its gradient is stopped
// on purpose, as PyTorch does.
def NotDifferentiable : NativeOpTrait<"NotDifferentiable"> { let cppNamespace = "::nn"; }
// An element of the result depends on the operands' elements at its place only, after broadcasting
// (MLIR's own trait of this name wants equal shapes).
def NN_Elementwise : NativeOpTrait<"Elementwise"> { let cppNamespace = "::nn"; }

// What --precision makes of an operation (compiler/forward/SetPrecision.cpp). With low precision, `LowPrecision`
// operations take operands of the low type and give sums in f32; those that `FollowsPrecision` only move elements, and
// move low ones where a low operation wants them. All others are computed in f32.
def NN_LowPrecision : NativeOpTrait<"LowPrecision"> { let cppNamespace = "::nn"; }
def NN_FollowsPrecision : NativeOpTrait<"FollowsPrecision"> { let cppNamespace = "::nn"; }

// The gradient rule is in Gradients/<Family>.cpp.
class NN_GradientRule<string operands> : TraitList<[
    DifferentiableOperands<operands>, DeclareOpInterfaceMethods<GradientOpInterface, ["gradient"]>]>;

// Result types are given, or follow from the traits.
class NN_Op<string mnemonic, list<Trait> traits = []> : Op<NN_Dialect, mnemonic, !listconcat([Pure], traits)>;

// Result types are inferred in <Family>.cpp.
class NN_InferredOp<string mnemonic, list<Trait> traits = []>
    : NN_Op<mnemonic, !listconcat([InferTypeOpAdaptor], traits)>;

class NN_DifferentiableOp<string mnemonic, string operands, list<Trait> traits = []>
    : NN_InferredOp<mnemonic, !listconcat([NN_GradientRule<operands>], traits)>;

#endif
