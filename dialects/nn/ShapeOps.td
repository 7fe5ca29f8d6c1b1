//===- ShapeOps.td - nn: operations that move elements ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_SHAPE_OPS
#define DLC_NN_SHAPE_OPS

include "dialects/nn/NNBase.td"

def NN_ReshapeOp : NN_Op<"reshape", [NN_GradientRule<"0">, NN_FollowsPrecision]> {
  let summary = "the same elements in another shape";
  let description = [{
    Row-major order is kept. Flatten, squeeze and unsqueeze are reshapes.

    ```mlir
    %y = nn.reshape %x : tensor<64x28x28xf32> -> tensor<64x784xf32>
    ```

    Constraints:

    - C1. `x` and `y` have one dtype.
    - C2. `x` and `y` have the same number of elements, named dims counted as themselves.
  }];
  let arguments = (ins NN_Tensor:$x);
  let results = (outs NN_Tensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def NN_TransposeOp : NN_DifferentiableOp<"transpose", "0", [NN_FollowsPrecision]> {
  let summary = "permute dims";
  let description = [{
    Dim `i` of `y` is dim `permutation[i]` of `x`.

    ```mlir
    %y = nn.transpose %x [1, 0] : tensor<64x784xf32>   // 784x64
    ```

    Constraints:

    - C1. `permutation` has one number per dim of `x`.
    - C2. Each number is in [0, rank of `x`).
    - C3. Each number is there once.
  }];
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs NN_Tensor:$y);
  let assemblyFormat = "$x $permutation attr-dict `:` type($x)";
  let hasFolder = 1;
}

def NN_ExpandOp : NN_Op<"expand", [NN_GradientRule<"0">]> {
  let summary = "broadcast to a shape";
  let description = [{
    The shapes are aligned at the last dim. Dims of size 1 and missing leading dims are stretched to those of
    the result type.

    ```mlir
    %y = nn.expand %x : tensor<256xf32> -> tensor<64x256xf32>
    ```

    Constraints:

    - C1. `x` and `y` have one dtype.
    - C2. The shape of `x` broadcasts to that of `y`.
  }];
  let arguments = (ins NN_Tensor:$x);
  let results = (outs NN_Tensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def NN_ConcatOp : NN_InferredOp<"concat", [DeclareOpInterfaceMethods<GradientOpInterface, ["gradient"]>]> {
  let summary = "join along an axis";
  let description = [{
    Along `axis` sizes add up.

    ```mlir
    %y = nn.concat %a, %b axis 1 : tensor<64x3xf32>, tensor<64x5xf32>   // 64x8
    ```

    Constraints:

    - C1. There is at least one operand.
    - C2. `axis` is in [0, rank of the first operand).
    - C3. All operands have one dtype.
    - C4. All operands have one rank, and equal dims except along `axis`.
    - C5. Dims along `axis` are static.
  }];
  let arguments = (ins Variadic<NN_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs NN_Tensor:$y);
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` type($inputs)";
  let extraClassDeclaration = "static bool differentiableOperand(unsigned) { return true; }";
  let hasFolder = 1;
}

def NN_SliceOp : NN_DifferentiableOp<"slice", "0"> {
  let summary = "a strided part";
  let description = [{
    `y[i] = x[start + i * step]` along each dim, for `limit > start + i * step`. `split` is several slices.

    ```mlir
    %y = nn.slice %x starts [0, 2] limits [64, 8] steps [1, 3] : tensor<64x10xf32>   // 64x2
    ```

    Constraints:

    - C1. `starts`, `limits` and `steps` have one number per dim of `x`.
    - C2. A named dim is taken whole: start 0, limit -1, step 1.
    - C3. Start and limit of a static dim are in [0, size of the dim].
    - C4. The step of a static dim is above 0.
  }];
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$limits,
                       DenseI64ArrayAttr:$steps);
  let results = (outs NN_Tensor:$y);
  let assemblyFormat = "$x `starts` $starts `limits` $limits `steps` $steps attr-dict `:` type($x)";
  let hasFolder = 1;
}

def NN_ReverseOp : NN_Op<"reverse", [NN_GradientRule<"0">, SameOperandsAndResultType,
                                      NN_FollowsPrecision]> {
  let summary = "reverse the order along axes";
  let description = [{
    `y[i] = x[size - 1 - i]` along each of `axes`.

    ```mlir
    %y = nn.reverse %x axes [1] : tensor<64x10xf32>
    ```

    Constraints:

    - C1. Each of `axes` is in [0, rank of `x`).
    - C2. `axes` are distinct and in increasing order.
    - C3. Dims along `axes` are static.
  }];
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$axes);
  let results = (outs NN_Tensor:$y);
  let assemblyFormat = "$x `axes` $axes attr-dict `:` type($x)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def NN_PadMode : I32EnumAttr<"PadMode", "what padding holds", [
    I32EnumAttrCase<"constant", 0>, I32EnumAttrCase<"edge", 1>, I32EnumAttrCase<"reflect", 2>,
    I32EnumAttrCase<"wrap", 3>]> {
  let cppNamespace = "::nn";
  let genSpecializedAttr = 0;
}
def NN_PadModeAttr : EnumAttr<NN_Dialect, NN_PadMode, "pad_mode">;

def NN_PadOp : NN_DifferentiableOp<"pad", "0"> {
  let summary = "surround with padding";
  let description = [{
    Adds `low` elements before, `high` after and `interior` between neighbours along each dim. An element
    of the padding is `value`, or with `edge` the nearest element, with `reflect` the mirrored one, with `wrap` the one
    from the opposite side. With `interior`, a pad is the gradient of a strided slice.

    ```mlir
    %y = nn.pad constant %x low [0, 1] high [0, 2] interior [0, 0] value 0.0 : tensor<64x10xf32>   // 64x13
    ```

    Constraints:

    - C1. `low`, `high` and `interior` have one number per dim of `x`.
    - C2. No number is negative.
    - C3. Numbers of a named dim are 0.
    - C4. `interior` is 0 except with mode `constant`.
    - C5. `low` and `high` are at most the dim's size with `wrap`, less with `reflect`, 0 for size 0 with `edge`.
  }];
  let arguments = (ins NN_PadModeAttr:$mode, NN_Tensor:$x, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       DenseI64ArrayAttr:$interior, F64Attr:$value);
  let results = (outs NN_Tensor:$y);
  let assemblyFormat = "custom<Keyword>($mode) $x `low` $low `high` $high `interior` $interior "
                       "`value` $value attr-dict `:` type($x)";
  let hasFolder = 1;
}

def NN_GatherOp : NN_DifferentiableOp<"gather", "0"> {
  let summary = "take slices by index";
  let description = [{
    `y[a..., i..., b...] = x[a..., indices[i...], b...]`, where `a` are the dims before `axis` and `b` those
    after. A negative index counts from the end. Indices out of range are the caller's error: constant
    ones are refused at compile time, those of an input before each call. Slices of the index `padding` are
    read like all others and get no gradient, as those of PyTorch's embedding with `padding_idx`.

    ```mlir
    %y = nn.gather %table, %ids axis 0 : tensor<1000x64xf32>, tensor<32xi64>   // 32x64
    %e = nn.gather %table, %ids axis 0 padding 1 : tensor<1000x64xf32>, tensor<32xi64>
    ```

    Constraints:

    - C1. `axis` is in [0, rank of `x`).
    - C2. Dim `axis` of `x` does not have size 0, or there are no indices.
    - C3. `padding` is in [0, size of dim `axis`); for a named dim, not negative.
  }];
  let arguments = (ins NN_Tensor:$x, NN_IndexTensor:$indices, I64Attr:$axis, OptionalAttr<I64Attr>:$padding);
  let results = (outs NN_Tensor:$y);
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Value":$indices, "int64_t":$axis), [{
    build($_builder, $_state, x, indices, axis, ::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = "$x `,` $indices `axis` $axis (`padding` $padding^)? attr-dict "
                       "`:` type($x) `,` type($indices)";
}

def NN_ScatterAddOp : NN_Op<"scatter_add", [NN_GradientRule<"1">]> {
  let summary = "add slices into zeros by index: the gradient of gather";
  let description = [{
    `y = 0; y[a..., indices[i...], b...] += updates[a..., i..., b...]`, in the order of `i`, so results are
    the same for any number of threads.

    ```mlir
    %y = nn.scatter_add %ids, %updates axis 0 : tensor<32xi64>, tensor<32x64xf32> -> tensor<1000x64xf32>
    ```

    Constraints:

    - C1. `axis` is in [0, rank of `y`).
    - C2. `updates` has the shape of `y` with that of `indices` in place of dim `axis`.
    - C3. `updates` and `y` have one dtype.
  }];
  let arguments = (ins NN_IndexTensor:$indices, NN_NumberTensor:$updates, I64Attr:$axis);
  let results = (outs NN_NumberTensor:$y);
  let assemblyFormat = "$indices `,` $updates `axis` $axis attr-dict "
                       "`:` type($indices) `,` type($updates) `->` type($y)";
  let hasVerifier = 1;
}

def NN_IotaOp : NN_Op<"iota", [NotDifferentiable]> {
  let summary = "positions along an axis";
  let description = [{
    `y[..., i, ...] = i`, `i` along `axis`.

    ```mlir
    %y = nn.iota axis 0 : tensor<10xi64>
    ```

    Constraints:

    - C1. `axis` is in [0, rank of `y`).
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs NN_NumberTensor:$y);
  let assemblyFormat = "`axis` $axis attr-dict `:` type($y)";
  let hasVerifier = 1;
}

#endif
