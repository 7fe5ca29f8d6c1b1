//===- ConvOps.td - nn: convolutions ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution is linear in the image and in the weight. Its two gradients are operations of their own, and
// the gradients of each of the three are the other two (Dumoulin and Visin, "A guide to convolution
// arithmetic for deep learning", 2016, chapter 4).
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_CONV_OPS
#define DLC_NN_CONV_OPS

include "dialects/nn/NNBase.td"

// How a window moves over an image: one number per spatial dim, and the groups of channels.
class NN_ConvolutionOp<string mnemonic, dag operands> : NN_DifferentiableOp<mnemonic, "0, 1", [NN_LowPrecision]> {
  let arguments = !con(operands, (ins DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                                      DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, I64Attr:$groups,
                                      UnitAttr:$wide));
  string window = [{`strides` $strides `dilations` $dilations `low` $low `high` $high `groups` $groups
                    (`wide` $wide^)? attr-dict `:` }];
}

defvar convolutionConstraints = [{
    Constraints:

    - C1. Both operands have one dtype.
    - C2. Both operands have one rank: 3, 4 or 5.
    - C3. All dims of operands but dim 0 are static.
    - C4. `strides` has a number of at least 1 for each spatial dim.
    - C5. `dilations` has a number of at least 1 for each spatial dim.
    - C6. `low` has a number of at least 0 for each spatial dim.
    - C7. `high` has a number of at least 0 for each spatial dim.
    - C8. `groups` is at least 1 and divides the channels of the convolution's image and of its result.
    - C9. The kernel has at least 1 element along each spatial dim.
    - C10. The window fits into the image and its padding along each spatial dim.
    - C11. The image with its padding, and the weight with dilation and stride, are within C3 of all operations.
    - C12. With `wide`, operands have fewer bits than f32.
}];

def NN_ConvOp : NN_ConvolutionOp<"conv", (ins NN_FloatTensor:$x, NN_FloatTensor:$w)> {
  let summary = "convolution";
  let description = !strconcat([{
    Slides windows of the image over the weight (what deep learning calls a convolution is a
    cross-correlation):

        y[n, m, o] = sum over c, k of X[n, g C/G + c, o * stride + k * dilation] * w[m, c, k]

    `x` is `[N, C, image...]`, `w` is `[M, C/G, kernel...]`, with one to three spatial dims; `o` and `k` have
    an index for each. `X` is `x` with `low` zeros before and `high` zeros after it along each spatial dim. Of
    `groups` = G, group `g` takes the channels `[g C/G, (g+1) C/G)` to the output channels `m` in
    `[g M/G, (g+1) M/G)`. The window is `(kernel - 1) * dilation + 1` long; `y` has
    `(length of X - length of the window) / stride + 1` positions, rounded down. Sums are accumulated in f32
    (f64 for f64); `wide` gives them as they are.

    ```mlir
    %y = nn.conv %x, %w strides [2, 2] dilations [1, 1] low [1, 1] high [1, 1] groups 1
         : tensor<8x3x32x32xf32>, tensor<16x3x3x3xf32>   // 8x16x16x16
    ```

  }], convolutionConstraints, [{
    - C13. Dim 0 of `w` is static.
    - C14. Dim 1 of `w` is the number of channels of a group: C/G.
  }]);
  let results = (outs NN_FloatTensor:$y);
  let assemblyFormat = "$x `,` $w " # window # "type($x) `,` type($w)";
}

def NN_ConvTransposeOp : NN_ConvolutionOp<"conv_transpose", (ins NN_FloatTensor:$dy, NN_FloatTensor:$w,
                                                              DenseI64ArrayAttr:$size)> {
  let summary = "transposed convolution: the gradient of a convolution by its image";
  let description = !strconcat([{
    `dx[n, c, i] = sum over m, o, k of dy[n, m, o] * w[m, c - g C/G, k]`, over all `o` and `k` with
    `o * stride + k * dilation - low = i`. Attributes are those of the convolution; `size` is that of its image,
    along each spatial dim, as several images give results of the size of `dy` where a stride is not 1.

    ```mlir
    %dx = nn.conv_transpose %dy, %w size [32, 32] strides [2, 2] dilations [1, 1] low [1, 1] high [1, 1] groups 1
          : tensor<8x16x16x16xf32>, tensor<16x3x3x3xf32>   // 8x3x32x32
    ```

  }], convolutionConstraints, [{
    - C13. `size` has a number of at least 1 for each spatial dim.
    - C14. Dim 0 of `w` is dim 1 of `dy`.
    - C15. `dy` has the shape that the convolution gives.
  }]);
  let results = (outs NN_FloatTensor:$dx);
  let assemblyFormat = "$dy `,` $w `size` $size " # window # "type($dy) `,` type($w)";
}

def NN_ConvWeightGradientOp : NN_ConvolutionOp<"conv_weight_gradient",
                                               (ins NN_FloatTensor:$x, NN_FloatTensor:$dy,
                                                    DenseI64ArrayAttr:$kernel)> {
  let summary = "the gradient of a convolution by its weight";
  let description = !strconcat([{
    `dw[m, c, k] = sum over n, o of X[n, g C/G + c, o * stride + k * dilation] * dy[n, m, o]`, where `g` is the
    group of `m`. Attributes are those of the convolution; `kernel` is the size of its weight along each spatial
    dim.

    ```mlir
    %dw = nn.conv_weight_gradient %x, %dy kernel [3, 3] strides [2, 2] dilations [1, 1] low [1, 1] high [1, 1]
          groups 1 : tensor<8x3x32x32xf32>, tensor<8x16x16x16xf32>   // 16x3x3x3
    ```

  }], convolutionConstraints, [{
    - C13. `kernel` has a number of at least 1 for each spatial dim.
    - C14. `dy` has the shape that the convolution gives.
  }]);
  let results = (outs NN_FloatTensor:$dw);
  let assemblyFormat = "$x `,` $dy `kernel` $kernel " # window # "type($x) `,` type($dy)";
}

#endif
