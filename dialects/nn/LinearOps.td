//===- LinearOps.td - nn: linear algebra -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_LINEAR_OPS
#define DLC_NN_LINEAR_OPS

include "dialects/nn/NNBase.td"

def NN_MatMulOp : NN_DifferentiableOp<"matmul", "0, 1", [NN_LowPrecision]> {
  let summary = "matrix product";
  let description = [{
    `c[..., m, n] = sum over k of A[..., m, k] * B[..., k, n]`, where `A` is `a`, or `a` with its last
    two dims exchanged if `transpose_a` is given, and likewise `B`. Products
    are accumulated in f32 (f64 for f64); `wide` gives these sums as they are.

    ```mlir
    %c = nn.matmul %x, %w transpose_b : tensor<64x784xf32>, tensor<256x784xf32>   // 64x256
    ```

    Constraints:

    - C1. `a` and `b` have one dtype.
    - C2. `a` and `b` have rank 2 or more.
    - C3. The last dim of `A` and the last but one of `B` are equal.
    - C4. The leading dims of `a` and `b` broadcast.
    - C5. With `wide`, `a` and `b` are floats of fewer bits than f32.
  }];
  let arguments = (ins NN_NumberTensor:$a, NN_NumberTensor:$b, UnitAttr:$transpose_a, UnitAttr:$transpose_b,
                       UnitAttr:$wide);
  let results = (outs NN_NumberTensor:$c);
  let assemblyFormat = [{$a `,` $b (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)? (`wide` $wide^)?
                         attr-dict `:` type($a) `,` type($b)}];
}

#endif
