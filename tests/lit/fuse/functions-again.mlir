// Without a price, a function of what is kept anyway is done again, if its result would have left the cache until the
// backward pass wants it: of both GELUs the distribution function, whose operand is kept for the density. In a cache that
// has room for all, both are kept. Products are not done again.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-recompute-forward=near-bytes=4096 \
// RUN:   | FileCheck %s --check-prefix=AGAIN
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-recompute-forward=near-bytes=4194304 \
// RUN:   | FileCheck %s --check-prefix=KEEP

// AGAIN-LABEL: train.function train_step
// AGAIN-SAME: recomputed = #train.recomputed<{{[0-9]+}}, ["g0", "g1"]>
// AGAIN-COUNT-2: math.erf
// AGAIN: mse_loss
// AGAIN-COUNT-2: math.erf
// AGAIN-NOT: math.erf
// AGAIN: train.function grad_step
// KEEP-LABEL: train.function train_step
// KEEP-COUNT-2: math.erf
// KEEP-NOT: math.erf
// KEEP: train.function grad_step
train.program @p {
  train.input @x : tensor<64x8xf32>
  train.input target @t : tensor<64x64xf32>
  train.state parameter @w0 : tensor<8x512xf32> = dense<0.1>
  train.state parameter @v0 : tensor<512x8xf32> = dense<0.1>
  train.state parameter @w1 : tensor<8x512xf32> = dense<0.1>
  train.state parameter @v1 : tensor<512x64xf32> = dense<0.1>
  train.output prediction @y : tensor<64x64xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x8xf32>
    %t = train.read @t : tensor<64x64xf32>
    %w0 = train.read @w0 : tensor<8x512xf32>
    %v0 = train.read @v0 : tensor<512x8xf32>
    %w1 = train.read @w1 : tensor<8x512xf32>
    %v1 = train.read @v1 : tensor<512x64xf32>
    %p0 = nn.matmul %x, %w0 : tensor<64x8xf32>, tensor<8x512xf32> loc("p0")
    %g0 = nn.gelu %p0 : tensor<64x512xf32> loc("g0")
    %h = nn.matmul %g0, %v0 : tensor<64x512xf32>, tensor<512x8xf32> loc("h")
    %p1 = nn.matmul %h, %w1 : tensor<64x8xf32>, tensor<8x512xf32> loc("p1")
    %g1 = nn.gelu %p1 : tensor<64x512xf32> loc("g1")
    %y = nn.matmul %g1, %v1 : tensor<64x512xf32>, tensor<512x64xf32> loc("y")
    train.write %y, @y : tensor<64x64xf32>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<64x64xf32>, tensor<64x64xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
