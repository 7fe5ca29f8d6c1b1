// What an attention gives is done again for the gradient of the weight behind it: the backward pass makes the
// probabilities again anyway, and the product with the values is a small part of the step's operations. So the
// kernel of the gradients has one product more. In a
// cache that has room for all, it is kept; and where it would be a large part of the step.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg \
// RUN:   --dlc-recompute-forward=near-bytes=1024 | FileCheck %s --check-prefix=AGAIN
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg \
// RUN:   --dlc-recompute-forward=near-bytes=4194304 | FileCheck %s --check-prefix=KEEP

// AGAIN-LABEL: train.function train_step
// AGAIN-SAME: recomputed = #train.recomputed<{{[0-9]+}}, ["scores", "softmax", "attended"]>
// KEEP-LABEL: train.function train_step
// KEEP-NOT: recomputed
train.program @p {
  train.input @x : tensor<2x64x2048xf32>
  train.input target @t : tensor<2x64x16xf32>
  train.state parameter @wq : tensor<2048x32xf32> = dense<0.1>
  train.state parameter @wk : tensor<2048x32xf32> = dense<0.1>
  train.state parameter @wv : tensor<2048x32xf32> = dense<0.1>
  train.state parameter @wo : tensor<32x16xf32> = dense<0.1>
  train.output prediction @y : tensor<2x64x16xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<2x64x2048xf32>
    %t = train.read @t : tensor<2x64x16xf32>
    %wq = train.read @wq : tensor<2048x32xf32>
    %wk = train.read @wk : tensor<2048x32xf32>
    %wv = train.read @wv : tensor<2048x32xf32>
    %wo = train.read @wo : tensor<32x16xf32>
    %q = nn.matmul %x, %wq : tensor<2x64x2048xf32>, tensor<2048x32xf32> loc("q")
    %k = nn.matmul %x, %wk : tensor<2x64x2048xf32>, tensor<2048x32xf32> loc("k")
    %v = nn.matmul %x, %wv : tensor<2x64x2048xf32>, tensor<2048x32xf32> loc("v")
    %s = nn.matmul %q, %k transpose_b : tensor<2x64x32xf32>, tensor<2x64x32xf32> loc("scores")
    %p = nn.softmax %s axis 2 : tensor<2x64x64xf32> loc("softmax")
    %a = nn.matmul %p, %v : tensor<2x64x64xf32>, tensor<2x64x32xf32> loc("attended")
    %y = nn.matmul %a, %wo : tensor<2x64x32xf32>, tensor<32x16xf32> loc("y")
    train.write %y, @y : tensor<2x64x16xf32>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<2x64x16xf32>, tensor<2x64x16xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// AGAIN-LABEL: train.function train_step
// AGAIN-NOT: "attended"
// AGAIN: train.function grad_step
train.program @p {
  train.input @x : tensor<2x64x16xf32>
  train.input target @t : tensor<2x64x16xf32>
  train.state parameter @wq : tensor<16x32xf32> = dense<0.1>
  train.state parameter @wk : tensor<16x32xf32> = dense<0.1>
  train.state parameter @wv : tensor<16x32xf32> = dense<0.1>
  train.state parameter @wo : tensor<32x16xf32> = dense<0.1>
  train.output prediction @y : tensor<2x64x16xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<2x64x16xf32>
    %t = train.read @t : tensor<2x64x16xf32>
    %wq = train.read @wq : tensor<16x32xf32>
    %wk = train.read @wk : tensor<16x32xf32>
    %wv = train.read @wv : tensor<16x32xf32>
    %wo = train.read @wo : tensor<32x16xf32>
    %q = nn.matmul %x, %wq : tensor<2x64x16xf32>, tensor<16x32xf32> loc("q")
    %k = nn.matmul %x, %wk : tensor<2x64x16xf32>, tensor<16x32xf32> loc("k")
    %v = nn.matmul %x, %wv : tensor<2x64x16xf32>, tensor<16x32xf32> loc("v")
    %s = nn.matmul %q, %k transpose_b : tensor<2x64x32xf32>, tensor<2x64x32xf32> loc("scores")
    %p = nn.softmax %s axis 2 : tensor<2x64x64xf32> loc("softmax")
    %a = nn.matmul %p, %v : tensor<2x64x64xf32>, tensor<2x64x32xf32> loc("attended")
    %y = nn.matmul %a, %wo : tensor<2x64x32xf32>, tensor<32x16xf32> loc("y")
    train.write %y, @y : tensor<2x64x16xf32>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<2x64x16xf32>, tensor<2x64x16xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
