//===- PoolOps.td - nn: pooling over windows, resampling -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_POOL_OPS
#define DLC_NN_POOL_OPS

include "dialects/nn/NNBase.td"

// A pooling operation takes images to one number per window. Its adjoint, an unpooling one, goes back: it is told the
// sizes of the images, which the windows do not tell.

defvar windowText = [{

    Dims 0 and 1 of an image are the batch and the channels, and the others are spatial. Along a spatial dim of size
    `n`, window `o` covers the positions `o * stride - low + k * dilation` for `k` in `[0, kernel)`. Positions outside
    `[0, n)` are padding. There are as many windows as lie in the `low + n + high` positions of image and padding.

}];
defvar windowConstraints = [{

    Constraints:

    - C1. Images have rank 3 or more.
    - C2. `kernel`, `strides`, `low`, `high` and `dilations` have one number per spatial dim.
    - C3. Spatial dims are static.
    - C4. Numbers of `kernel` are in [1, 2^24].
    - C5. Numbers of `strides` are in [1, 2^24].
    - C6. Numbers of `dilations` are in [1, 2^24].
    - C7. Numbers of `low` are in [0, 2^24].
    - C8. Numbers of `high` are in [0, 2^24].
    - C9. Sizes of spatial dims are in [1, 2^31).
    - C10. A window, `(kernel - 1) * dilation + 1` long, fits into image and padding along each spatial dim.
    - C11. Each window covers at least one position of the image.
    - C12. Images with their padding are within C3 of all operations.
    - C13. The spatial dims of an image have fewer than 2^31 positions together.
}];
// The windows' sizes are the operand's, and the image's are given.
defvar unpoolConstraints = !strconcat(windowConstraints, [{
    - C14. `sizes` has one number per spatial dim of `y`.
    - C15. `y` has the shape that pooling of such images gives.
}]);
defvar window = (ins DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low,
                     DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$dilations);
defvar windowFormat = "`kernel` $kernel `strides` $strides `low` $low `high` $high `dilations` $dilations";

def NN_MaxPoolOp : NN_DifferentiableOp<"max_pool", "0"> {
  let summary = "the largest element of each window";
  let description = !strconcat([{
    `y` is the largest element of the image in each window, NaN if one is. `positions` says which element that is, by
    its row-major position in the spatial dims: the first one of equal elements, the last NaN. The gradient of `y` goes
    to that element alone, as in PyTorch.
  }], windowText, [{
    ```mlir
    %y, %positions = nn.max_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
        : tensor<64x6x28x28xf32>   // 64x6x14x14
    ```
  }], windowConstraints);
  let arguments = !con((ins NN_FloatTensor:$x), window);
  let results = (outs NN_FloatTensor:$y, NN_IndexTensor:$positions);
  let assemblyFormat = !strconcat("$x ", windowFormat, " attr-dict `:` type($x)");
}

def NN_MaxUnpoolOp : NN_DifferentiableOp<"max_unpool", "0"> {
  let summary = "numbers of windows at given positions: the gradient of max_pool";
  let description = !strconcat([{
    Images with `sizes` as spatial dims: `x[n, c, p]` is the sum of `y[n, c, o]` over the windows `o` whose
    `positions[n, c, o]` is `p`. `positions` is a result of `nn.max_pool` with these windows.
  }], windowText, [{
    ```mlir
    %dx = nn.max_unpool %dy, %positions sizes [28, 28] kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0]
        dilations [1, 1] : tensor<64x6x14x14xf32>, tensor<64x6x14x14xi32>   // 64x6x28x28
    ```
  }], unpoolConstraints, [{
    - C16. `positions` has the shape of `y`.
  }]);
  let arguments = !con((ins NN_FloatTensor:$y, NN_IndexTensor:$positions, DenseI64ArrayAttr:$sizes), window);
  let results = (outs NN_FloatTensor:$x);
  let assemblyFormat = !strconcat("$y `,` $positions `sizes` $sizes ", windowFormat,
                                  " attr-dict `:` type($y) `,` type($positions)");
}

def NN_SumPoolOp : NN_DifferentiableOp<"sum_pool", "0"> {
  let summary = "the sum of each window";
  let description = !strconcat([{
    `y` is the sum of the image's elements in each window. Average pooling is this sum times a constant.
  }], windowText, [{
    ```mlir
    %y = nn.sum_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
        : tensor<64x6x28x28xf32>   // 64x6x14x14
    ```
  }], windowConstraints);
  let arguments = !con((ins NN_FloatTensor:$x), window);
  let results = (outs NN_FloatTensor:$y);
  let assemblyFormat = !strconcat("$x ", windowFormat, " attr-dict `:` type($x)");
}

def NN_SumUnpoolOp : NN_DifferentiableOp<"sum_unpool", "0"> {
  let summary = "each element the sum of the windows over it: the gradient of sum_pool";
  let description = !strconcat([{
    Images with `sizes` as spatial dims: `x[n, c, p]` is the sum of `y[n, c, o]` over the windows `o` that cover `p`.
  }], windowText, [{
    ```mlir
    %dx = nn.sum_unpool %dy sizes [28, 28] kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
        : tensor<64x6x14x14xf32>   // 64x6x28x28
    ```
  }], unpoolConstraints);
  let arguments = !con((ins NN_FloatTensor:$y, DenseI64ArrayAttr:$sizes), window);
  let results = (outs NN_FloatTensor:$x);
  let assemblyFormat = !strconcat("$y `sizes` $sizes ", windowFormat, " attr-dict `:` type($y)");
}

def NN_ResampleOp : NN_DifferentiableOp<"resample", "0"> {
  let summary = "weighted sums of few elements along an axis";
  let description = [{
    `y[..., o, ...]` is the sum over `t` of `weights[t, o] * x[..., positions[t, o], ...]`, along `axis`. `positions`
    and `weights` have `taps` rows of one number for each `o`. Interpolation of images is this, axis by axis; its
    gradient is the transposed one.

    ```mlir
    %y = nn.resample %x axis 1 taps 2 positions [0, 0, 1, 0, 1, 1] weights [1.0, 0.5, 1.0, 0.0, 0.5, 0.0]
        : tensor<64x2xf32>   // 64x3
    ```

    Constraints:

    - C1. `axis` is in [0, rank of `x`).
    - C2. Dim `axis` of `x` is static.
    - C3. `taps` is from 1 to 1048576 and divides the number of `positions`, and there are as many `weights`.
    - C4. `positions` are in [0, size of dim `axis`).
    - C5. `weights` are finite.
  }];
  let arguments = (ins NN_FloatTensor:$x, I64Attr:$axis, I64Attr:$taps, DenseI64ArrayAttr:$positions,
                       DenseF64ArrayAttr:$weights);
  let results = (outs NN_FloatTensor:$y);
  let assemblyFormat = [{$x `axis` $axis `taps` $taps `positions` $positions `weights` $weights attr-dict
                         `:` type($x)}];
}

#endif
