//===- NormalizationOps.td - nn: softmax, layer norm, batch norm -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_NORMALIZATION_OPS
#define DLC_NN_NORMALIZATION_OPS

include "dialects/nn/NNBase.td"

class NN_SoftmaxBase<string mnemonic, string sentence, string formula, string more, dag settings>
    : NN_DifferentiableOp<mnemonic, "0"> {
  let summary = sentence;
  let description = "`" # formula # "`, sums along `axis`; the largest element is subtracted first, so " #
      "nothing overflows." # more # "\n\n```mlir\n%y = nn." # mnemonic # " %x axis 1 : tensor<64x10xf32>\n```\n\n" #
      "Constraints:\n\n" #
      "- C1. `axis` is in [0, rank of `x`).\n" #
      "- C2. Dim `axis` does not have size 0.\n";
  let arguments = !con((ins NN_FloatTensor:$x, I64Attr:$axis), settings);
  let results = (outs NN_FloatTensor:$y);
  let assemblyFormat = "$x `axis` $axis attr-dict `:` type($x)";
}
def NN_SoftmaxOp : NN_SoftmaxBase<"softmax", "softmax", "y = e^x / sum of e^x",
  " Where all elements along the axis are minus infinity, the result is no number; with `empty_to_zero` it is 0 there, " #
  "and so are its gradients, as in PyTorch's attention.", (ins UnitAttr:$empty_to_zero)>;
def NN_LogSoftmaxOp : NN_SoftmaxBase<"log_softmax", "logarithm of softmax", "y = x - ln(sum of e^x)", "", (ins)>;

def NN_LayerNormOp : NN_DifferentiableOp<"layer_norm", "0, 1, 2"> {
  let summary = "layer normalization (Ba et al. 2016)";
  let description = [{
    The dims from `axis` on are normalized together: with their `mean` and biased variance,
    `rstd = 1 / sqrt(variance + epsilon)` and `y = (x - mean) * rstd * scale + bias`. `mean` and `rstd` keep the
    normalized dims with size 1.

    ```mlir
    %y, %mean, %rstd = nn.layer_norm %x, %scale, %bias axis 1 epsilon 1.0e-5
        : tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>
    ```

    Constraints:

    - C1. `axis` is in [0, rank of `x`).
    - C2. `epsilon` is finite and not negative.
    - C3. `scale` has the shape of the normalized dims.
    - C4. `bias` has the shape of the normalized dims.
    - C5. `scale` and `bias` have the dtype of `x`.
  }];
  let arguments = (ins NN_FloatTensor:$x, NN_FloatTensor:$scale, NN_FloatTensor:$bias, I64Attr:$axis,
                       F64Attr:$epsilon);
  let results = (outs NN_FloatTensor:$y, NN_FloatTensor:$mean, NN_FloatTensor:$rstd);
  let assemblyFormat = [{$x `,` $scale `,` $bias `axis` $axis `epsilon` $epsilon attr-dict `:` type($x) `,`
                         type($scale) `,` type($bias)}];
}

defvar batchNormConstraints = [{
    Constraints:

    - C1. `x` has rank 2 or more.
    - C2. `epsilon` is finite and not negative.
    - C3. All other operands have the shape [features].
    - C4. All other operands have the dtype of `x`.
}];

def NN_BatchNormOp : NN_DifferentiableOp<"batch_norm", "0, 1, 2"> {
  let summary = "batch normalization with the batch's statistics (Ioffe and Szegedy 2015)";
  let description = !strconcat([{
    Features are dim 1 of `x`; statistics are over all other dims. `mean` and the biased `variance`
    give `y = (x - mean) / sqrt(variance + epsilon) * scale + bias`. `mean` and `variance`, of shape
    `[features]`, feed the running statistics.

    ```mlir
    %y, %mean, %variance = nn.batch_norm %x, %scale, %bias epsilon 1.0e-5
        : tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>
    ```

  }], batchNormConstraints);
  let arguments = (ins NN_FloatTensor:$x, NN_FloatTensor:$scale, NN_FloatTensor:$bias, F64Attr:$epsilon);
  let results = (outs NN_FloatTensor:$y, NN_FloatTensor:$mean, NN_FloatTensor:$variance);
  let assemblyFormat = [{$x `,` $scale `,` $bias `epsilon` $epsilon attr-dict `:` type($x) `,` type($scale)
                         `,` type($bias)}];
}

def NN_BatchNormInferenceOp : NN_DifferentiableOp<"batch_norm_inference", "0, 1, 2"> {
  let summary = "batch normalization with given statistics";
  let description = !strconcat([{
    `y = (x - mean) / sqrt(variance + epsilon) * scale + bias`, features along dim 1.

    ```mlir
    %y = nn.batch_norm_inference %x, %scale, %bias, %mean, %variance epsilon 1.0e-5
        : tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
    ```

  }], batchNormConstraints);
  let arguments = (ins NN_FloatTensor:$x, NN_FloatTensor:$scale, NN_FloatTensor:$bias, NN_FloatTensor:$mean,
                       NN_FloatTensor:$variance, F64Attr:$epsilon);
  let results = (outs NN_FloatTensor:$y);
  let assemblyFormat = [{$x `,` $scale `,` $bias `,` $mean `,` $variance `epsilon` $epsilon attr-dict `:`
                         type(operands)}];
}

#endif
