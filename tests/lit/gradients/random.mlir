// Gradient rule of dropout: the same elements are dropped.
// Each program's loss is sum(y * d), so that the gradient of y is %d.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward | FileCheck %s

// CHECK-LABEL: train.program @dropout
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[RNG:[a-z0-9_]+]] = train.read @rng
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[DROPOUT:[a-z0-9_]+]] = nn.dropout %[[D]], %[[RNG]] ratio 2.000000e-01 stream 3
// CHECK: train.gradient %[[DROPOUT]], @x
train.program @dropout {
  train.state parameter @x : tensor<3x4xf32>
  train.state rng @rng : tensor<2xi64>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %rng = train.read @rng : tensor<2xi64>
    %d = train.read @d : tensor<3x4xf32>
    %y = nn.dropout %x, %rng ratio 0.2 stream 3 : tensor<3x4xf32>, tensor<2xi64>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
