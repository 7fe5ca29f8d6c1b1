//===- RandomOps.td - nn: random numbers -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_RANDOM_OPS
#define DLC_NN_RANDOM_OPS

include "dialects/nn/NNBase.td"

def NN_DropoutOp : NN_DifferentiableOp<"dropout", "0"> {
  let summary = "dropout (Srivastava et al. 2014)";
  let description = [{
    `y = x / (1 - ratio)` if the element is kept, else 0. An element is kept if its 16 random bits
    are at least `round(ratio * 65536)`. The bits depend only on the state, the stream and the element's
    place, never on tiles or threads. Seen as a matrix whose `columns` are the last dim (1 for rank 0) and
    whose rows are all others, element (r, c) takes half-word `r mod 8` of

        Philox4x32-10(counter = ((r div 8) * columns + c, stream, low(draws), high(draws)),
                      key = (low(seed), high(seed)))

    (Salmon et al., SC 2011), where `rng` holds (seed, draws), the first counter word being taken modulo
    2^32; half-word h is `(word[h div 2] >> 16 * (h mod 2)) & 0xffff`. The gradient is the same dropout
    of the gradient.

    Where x is a part of a larger tensor, cut along its first dim, `rng` has a third number: where the part begins
    along that dim. Elements then take the bits of their place in the whole.

    ```mlir
    %y = nn.dropout %x, %rng ratio 0.2 stream 0 : tensor<64x256xf32>
    ```

    Constraints:

    - C1. `ratio` is in [0, 1).
    - C2. `stream` is in [0, 2^32).
    - C3. `rng` has the shape [2] or [3].
  }];
  let arguments = (ins NN_FloatTensor:$x, RankedTensorOf<[I64]>:$rng, F64Attr:$ratio, I64Attr:$stream);
  let results = (outs NN_FloatTensor:$y);
  let assemblyFormat = "$x `,` $rng `ratio` $ratio `stream` $stream attr-dict `:` type($x) `,` type($rng)";
  let hasFolder = 1;
}

def NN_RandomUniformOp : NN_Op<"random_uniform", [NotDifferentiable]> {
  let summary = "numbers between 0 and 1, all equally likely";
  let description = [{
    `y = (k + 1/2) / 2^23`, where the 23 bits of `k` are the 16 random bits that `nn.dropout` would draw for the
    element with the same state and stream, and the upper 7 of the 16 bits of the next stream. So y is never 0
    and never 1, and its logarithm is finite. The operation uses two streams. A third number of `rng` is that of
    `nn.dropout`.

    ```mlir
    %y = nn.random_uniform %rng stream 0 : tensor<2xi64> -> tensor<64x256xf32>
    ```

    Constraints:

    - C1. `stream` is in [0, 2^32 - 1).
    - C2. `rng` has the shape [2] or [3].
  }];
  let arguments = (ins RankedTensorOf<[I64]>:$rng, I64Attr:$stream);
  let results = (outs RankedTensorOf<[F32, F64]>:$y);
  let assemblyFormat = "$rng `stream` $stream attr-dict `:` type($rng) `->` type($y)";
  let hasVerifier = 1;
}

#endif
