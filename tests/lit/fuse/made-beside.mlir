// Without a price, what takes few operations is computed again where its result would have left the cache. Here both
// products have gradients by their weights: the second one's reads a square. It is kept where the cache is large; else
// the backward pass makes it again, in the epilogue that makes the gradient of the square: no kernel is added.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg \
// RUN:   --dlc-recompute-forward=near-bytes=16777216 --dlc-fuse | FileCheck %s --check-prefix=KEPT
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg \
// RUN:   --dlc-recompute-forward=near-bytes=65536 --dlc-fuse --dlc-verify-fuse | FileCheck %s

// KEPT-LABEL: train.function train_step
// KEPT-NOT: recomputed
// KEPT: %[[FIRST:.*]]:2 = train.launch @matmul_mul(
// KEPT: train.launch @matmul_plain_sgd(%[[FIRST]]#1,

// CHECK-LABEL: train.function train_step
// CHECK-SAME: recomputed = #train.recomputed<{{[0-9]+}}, ["s"]>
// CHECK: %[[FIRST:.*]]:2 = train.launch @matmul_mul(
// CHECK: train.launch @mse_loss(
// CHECK-NEXT: %[[BOTH:.*]]:2 = train.launch @matmul_mul_add(%{{.*}}, %{{.*}}, %[[FIRST]]#0)
// CHECK: train.launch @matmul_plain_sgd(%[[BOTH]]#0,
// CHECK: train.launch @matmul_plain_sgd{{.*}}(%{{.*}}, %[[BOTH]]#1,
// CHECK: train.function grad_step
train.program @p {
  train.input @x : tensor<256x64xf32>
  train.input target @t : tensor<256x64xf32>
  train.state parameter @w : tensor<64x512xf32> = dense<0.1>
  train.state parameter @v : tensor<512x64xf32> = dense<0.1>
  train.output prediction @y : tensor<256x64xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<256x64xf32>
    %t = train.read @t : tensor<256x64xf32>
    %w = train.read @w : tensor<64x512xf32>
    %v = train.read @v : tensor<512x64xf32>
    %p = nn.matmul %x, %w : tensor<256x64xf32>, tensor<64x512xf32> loc("p")
    %s = nn.mul %p, %p : tensor<256x512xf32>, tensor<256x512xf32> loc("s")
    %y = nn.matmul %s, %v : tensor<256x512xf32>, tensor<512x64xf32> loc("y")
    train.write %y, @y : tensor<256x64xf32>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<256x64xf32>, tensor<256x64xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
