//===- GradientOps.td - train: gradients that do not follow the operations -===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They say something of the backward pass alone, and the stage backward, which has then done what they say, takes
// them out. The first two give what they are given.
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_GRADIENT_OPS
#define DLC_TRAIN_GRADIENT_OPS

include "dialects/nn/GradientInterface.td"
include "dialects/train/TrainBase.td"

def Train_NotDifferentiable : NativeOpTrait<"NotDifferentiable"> { let cppNamespace = "::nn"; }

def Train_StopGradientOp : Train_Op<"stop_gradient", [Pure, AllTypesMatch<["x", "y"]>, Train_NotDifferentiable]> {
  let summary = "the operand, through which no gradient flows";
  let description = [{
    PyTorch's `detach`. The stage `backward` takes it out.

    ```mlir
    %y = train.stop_gradient %x : tensor<64x10xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x);
  let results = (outs AnyRankedTensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def Train_CustomGradientOp : Train_Op<"custom_gradient", [Pure, IsolatedFromAbove, SingleBlock,
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<GradientOpInterface, ["gradient"]>]> {
  let summary = "values with a gradient of their own";
  let description = [{
    The results are `values`, a function of `inputs` whose gradient is the body instead of what the operations
    between them would give: no gradient flows to `values`. The body's arguments are the gradients of the
    results, the results, and what else it needs, `kept`; it yields one gradient for each of `inputs`. To `kept` no
    gradient flows either; but as the body consists of operations like all others, the gradients that it gives can
    be differentiated again, by `inputs` through the results and by `kept`. The stage `backward`, where reverse
    mode puts the body in the place of the gradient, takes the operation out.

    This rounds, and lets gradients through as if it did not:

    ```mlir
    %r = nn.round %x : tensor<4xf32>
    %y = train.custom_gradient (%r : tensor<4xf32>) of (%x : tensor<4xf32>) {
    ^bb0(%dy: tensor<4xf32>, %result: tensor<4xf32>):
      train.yield %dy : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values, Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$kept);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{(`(` $values^ `:` type($values) `)`)? (`of` `(` $inputs^ `:` type($inputs) `)`)?
                         (`keeping` `(` $kept^ `:` type($kept) `)`)? attr-dict-with-keyword $body}];
  let extraClassDeclaration = [{
    static bool differentiableOperand(unsigned) { return true; }
    /// Whether the body gives a gradient for this operand.
    bool isInput(unsigned operand) {
      return operand >= getValues().size() && operand < getValues().size() + getInputs().size();
    }
  }];
  let hasRegionVerifier = 1;
}

def Train_UpdateIfOp : Train_Op<"update_if"> {
  let summary = "the function's update happens only where this is true";
  let description = [{
    Else the parameters, what the optimizer keeps for them and the step count stay as they are. The pass dlc-update,
    which then chooses between old and new values, takes it out.

    ```mlir
    train.update_if %finite : tensor<i1>
    ```
  }];
  let arguments = (ins 0DTensorOf<[I1]>:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

#endif
