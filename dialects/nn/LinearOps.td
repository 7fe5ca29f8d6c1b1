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
    two dims exchanged if `transpose_a` is given, and likewise `B`. Both have rank 2 or more; the
    leading dims broadcast. Products are accumulated in f32 (f64 for f64); `wide` gives these sums as they
    are, where the operands have fewer bits than f32.

    ```mlir
    %c = nn.matmul %x, %w transpose_b : tensor<64x784xf32>, tensor<256x784xf32>   // 64x256
    ```
  }];
  let arguments = (ins NN_NumberTensor:$a, NN_NumberTensor:$b, UnitAttr:$transpose_a, UnitAttr:$transpose_b,
                       UnitAttr:$wide);
  let results = (outs NN_NumberTensor:$c);
  let assemblyFormat = [{$a `,` $b (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)? (`wide` $wide^)?
                         attr-dict `:` type($a) `,` type($b)}];
}

#endif
