//===- TimeOps.td - nn: sequences of different lengths ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_TIME_OPS
#define DLC_NN_TIME_OPS

include "dialects/nn/NNBase.td"

def NN_ReverseSequenceOp : NN_DifferentiableOp<"reverse_sequence", "0"> {
  let summary = "reverse sequences of different lengths";
  let description = [{
    Along the axis `batch` lie sequences, and along the axis `time` the elements of each. Of sequence b, the
    first `lengths[b]` elements are reversed, and what follows them stays: `y[t, b] = x[lengths[b] - 1 - t, b]`
    for `t < lengths[b]`, else `x[t, b]`. A length below 0 counts as 0, and one above the size of `time` as
    that size. The gradient is the same reversal of the gradient.

    ```mlir
    %y = nn.reverse_sequence %x, %lengths time 0 batch 1 : tensor<20x8x64xf32>, tensor<8xi64>
    ```

    Constraints:

    - C1. `time` and `batch` are in [0, rank of `x`).
    - C2. `time` and `batch` are different.
    - C3. `lengths` has one number for each sequence: the shape [size of dim `batch` of `x`].
  }];
  let arguments = (ins NN_Tensor:$x, NN_IndexTensor:$lengths, I64Attr:$time, I64Attr:$batch);
  let results = (outs NN_Tensor:$y);
  let assemblyFormat = "$x `,` $lengths `time` $time `batch` $batch attr-dict `:` type($x) `,` type($lengths)";
}

#endif
