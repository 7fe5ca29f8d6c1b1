// Noise is drawn in training and in evaluation; evaluation counts no draw.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-verify-forward | FileCheck %s

// CHECK: train.state {{ ?}}rng @rng
// CHECK-LABEL: forward @forward
// CHECK: %[[RNG:.+]] = train.read @rng
// CHECK: nn.random_uniform %[[RNG]] stream 0
// CHECK: %[[DRAW:.+]] = nn.constant dense<[0, 1]> : tensor<2xi64>
// CHECK: %[[NEXT:.+]] = nn.add %[[RNG]], %[[DRAW]]
// CHECK: train.write %[[NEXT]], @rng

// CHECK-LABEL: evaluate @evaluate
// CHECK: %[[SAME:.+]] = train.read @rng
// CHECK: nn.random_uniform %[[SAME]] stream 0
// CHECK-NOT: train.write
train.program @noisy {
  train.dim @batch = 8
  train.state rng @rng : tensor<2xi64>
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
    %rng = train.read @rng : tensor<2xi64>
    %u = nn.random_uniform %rng stream 0 : tensor<2xi64> -> tensor<?x4xf32, #nn.dims<batch, _>>
    %y = nn.mul %x, %u : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<?x4xf32, #nn.dims<batch, _>>
    %loss, %weight = nn.mse_loss mean %y, %x : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<?x4xf32, #nn.dims<batch, _>>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
