//===- LossOps.td - nn: losses ---------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_LOSS_OPS
#define DLC_NN_LOSS_OPS

include "dialects/nn/NNBase.td"

def NN_Reduce : I32EnumAttr<"LossReduction", "how the elements' losses become one number", [
    I32EnumAttrCase<"mean", 0>, I32EnumAttrCase<"sum", 1>]> {
  let cppNamespace = "::nn";
  let genSpecializedAttr = 0;
}
def NN_LossReductionAttr : EnumAttr<NN_Dialect, NN_Reduce, "loss_reduction">;

// All losses give two rank-0 results: `loss`, and `weight`, by which a mean loss divides: the number of
// elements, or the sum of the targets' class weights. With reduction `sum`, `weight` is still that
// number, so that losses of several batches can be averaged rightly. `weight` carries no gradient.

class NN_PointwiseLoss<string mnemonic, string sentence, string formula, dag attributes = (ins),
                       string constraints = "">
    : NN_DifferentiableOp<mnemonic, "0, 1"> {
  let summary = sentence;
  let description = "`" # formula # "`, summed over all elements and, for `mean`, divided by their number. " #
      "PyTorch's formula.\n\n" #
      "```mlir\n%loss, %weight = nn." # mnemonic #
      " mean %x, %target : tensor<64x1xf32>, tensor<64x1xf32>\n```\n\nConstraints:\n\n" #
      "- C1. `x` and `target` have one dtype.\n" #
      "- C2. `target` has the shape of `x`.\n" # constraints;
  let arguments = !con((ins NN_LossReductionAttr:$reduction, NN_FloatTensor:$x, NN_FloatTensor:$target),
                       attributes);
  let results = (outs NN_FloatTensor:$loss, NN_FloatTensor:$weight);
  let assemblyFormat = "custom<Keyword>($reduction) $x `,` $target attr-dict `:` type($x) `,` type($target)";
}
def NN_MseLossOp : NN_PointwiseLoss<"mse_loss", "squared error", "(x - target)^2">;
def NN_L1LossOp  : NN_PointwiseLoss<"l1_loss", "absolute error", "|x - target|">;
def NN_HuberLossOp : NN_PointwiseLoss<"huber_loss", "Huber loss (Huber 1964)",
    "d = x - target: d^2/2 if |d| <= delta, else delta * (|d| - delta/2)", (ins F64Attr:$delta),
    "- C3. `delta` is above 0.\n"> {
  let hasVerifier = 1;
}
def NN_BceLossOp : NN_PointwiseLoss<"bce_loss", "binary cross entropy of probabilities",
    "-(target * max(ln x, -100) + (1 - target) * max(ln(1 - x), -100))">;
def NN_BceWithLogitsLossOp : NN_PointwiseLoss<"bce_with_logits_loss", "binary cross entropy of logits",
    "max(x, 0) - x * target + ln(1 + e^-|x|)">;

class NN_ClassLoss<string mnemonic, string sentence, string text, dag attributes = (ins), string constraints = "">
    : NN_DifferentiableOp<mnemonic, "0"> {
  let summary = sentence;
  let description = text # [{
    Classes are dim 1 of `x` (`[rows, classes]` or `[rows, classes, d1 ...]`); `labels` are the
    rows' classes. A label equal to `ignore_index` contributes nothing. `class_weights` weigh each row by its
    label's weight; `mean` divides by the sum of the weights of the labels that count. PyTorch's formula.

    Constraints:

    - C1. `x` has rank 2 or more.
    - C2. The number of classes is static.
    - C3. There is at least one class.
    - C4. `labels` has the shape of `x` without dim 1.
    - C5. `class_weights` has the shape [classes].
    - C6. `class_weights` has the dtype of `x`.
    - C7. `ignore_index` is a number that labels can be.
}] # constraints;
  let arguments = !con((ins NN_LossReductionAttr:$reduction, NN_FloatTensor:$x, NN_IndexTensor:$labels,
                            Optional<NN_FloatTensor>:$class_weights, I64Attr:$ignore_index), attributes);
  let results = (outs NN_FloatTensor:$loss, NN_FloatTensor:$weight);
  let assemblyFormat = [{custom<Keyword>($reduction) $x `,` $labels (`weights` $class_weights^)?
                         `ignore_index` $ignore_index attr-dict `:` type(operands)}];
}
def NN_SoftmaxCrossEntropyOp : NN_ClassLoss<"softmax_cross_entropy", "softmax followed by cross entropy", [{
    `-ln softmax(x)[label]` for each row. With `label_smoothing` s the target is `1 - s` at the label plus
    `s / classes` everywhere (Szegedy et al. 2016); the smoothed part is weighed by each class's weight.

    ```mlir
    %loss, %weight = nn.softmax_cross_entropy mean %x, %labels ignore_index -100 {label_smoothing = 0.0 : f64}
        : tensor<64x10xf32>, tensor<64xi64>
    ```
  }], (ins DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing),
  "    - C8. `label_smoothing` is in [0, 1].\n"> {
  let hasVerifier = 1;
}
def NN_NllLossOp : NN_ClassLoss<"nll_loss", "negative log likelihood of log-probabilities", [{
    `-x[label]` for each row.

    ```mlir
    %loss, %weight = nn.nll_loss mean %x, %labels ignore_index -100 : tensor<64x10xf32>, tensor<64xi64>
    ```
  }]> {
  let hasVerifier = 1;
}

#endif
