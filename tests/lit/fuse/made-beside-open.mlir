// Tensors of open sizes are computed again as well.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg \
// RUN:   --dlc-recompute-forward=near-bytes=16384 --dlc-fuse --dlc-verify-fuse | FileCheck %s

// CHECK-LABEL: train.function train_step_n
// CHECK-SAME: recomputed = #train.recomputed<{{[0-9]+}}, ["s"]>
// CHECK: %[[FIRST:.*]]:2 = train.launch @matmul_mul{{.*}} -> (tensor<?x512xf32>, tensor<?x512xf32>)
// CHECK: %[[BOTH:.*]]:2 = train.launch @matmul_mul_add{{.*}}(%{{.*}}, %{{.*}}, %[[FIRST]]#0)
// CHECK: train.launch @matmul_plain_sgd{{.*}}(%[[BOTH]]#0,
train.program @p {
  train.dim open @n = 256
  train.input @x : tensor<?x64xf32, #nn.dims<n, _>>
  train.input target @t : tensor<?x64xf32, #nn.dims<n, _>>
  train.state parameter @w : tensor<64x512xf32> = dense<0.1>
  train.state parameter @v : tensor<512x64xf32> = dense<0.1>
  train.output prediction @y : tensor<?x64xf32, #nn.dims<n, _>>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<?x64xf32, #nn.dims<n, _>>
    %t = train.read @t : tensor<?x64xf32, #nn.dims<n, _>>
    %w = train.read @w : tensor<64x512xf32>
    %v = train.read @v : tensor<512x64xf32>
    %p = nn.matmul %x, %w : tensor<?x64xf32, #nn.dims<n, _>>, tensor<64x512xf32> loc("p")
    %s = nn.mul %p, %p : tensor<?x512xf32, #nn.dims<n, _>>, tensor<?x512xf32, #nn.dims<n, _>> loc("s")
    %y = nn.matmul %s, %v : tensor<?x512xf32, #nn.dims<n, _>>, tensor<512x64xf32> loc("y")
    train.write %y, @y : tensor<?x64xf32, #nn.dims<n, _>>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<?x64xf32, #nn.dims<n, _>>, tensor<?x64xf32, #nn.dims<n, _>>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
