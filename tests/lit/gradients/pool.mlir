// Gradient rules of pooling and resampling.
// Each program's loss is sum(y * d), so that the gradient of y is %d.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward | FileCheck %s

// The element that was taken gets the gradient, wherever it is.
// CHECK-LABEL: train.program @max_pool
// CHECK: grad_step @grad_step
// CHECK: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK: %{{.*}}, %[[POSITIONS:[a-z0-9_]+]] = nn.max_pool
// CHECK: %[[DX:[a-z0-9_]+]] = nn.max_unpool %[[D]], %[[POSITIONS]] sizes [5, 7] kernel [3, 3] strides [2, 2] low [1, 1] high [1, 1] dilations [1, 1]
// CHECK: train.gradient %[[DX]], @x
train.program @max_pool {
  train.state parameter @x : tensor<2x3x5x7xf32>
  train.input @d : tensor<2x3x3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2x3x5x7xf32>
    %d = train.read @d : tensor<2x3x3x4xf32>
    %y, %positions = nn.max_pool %x kernel [3, 3] strides [2, 2] low [1, 1] high [1, 1] dilations [1, 1]
        : tensor<2x3x5x7xf32>
    %p = nn.mul %y, %d : tensor<2x3x3x4xf32>, tensor<2x3x3x4xf32>
    %loss = nn.sum %p axes [0, 1, 2, 3] : tensor<2x3x3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @sum_pool
// CHECK: grad_step @grad_step
// CHECK: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK: %[[DX:[a-z0-9_]+]] = nn.sum_unpool %[[D]] sizes [9] kernel [2] strides [2] low [0] high [1] dilations [1]
// CHECK: train.gradient %[[DX]], @x
train.program @sum_pool {
  train.state parameter @x : tensor<2x3x9xf32>
  train.input @d : tensor<2x3x5xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2x3x9xf32>
    %d = train.read @d : tensor<2x3x5xf32>
    %y = nn.sum_pool %x kernel [2] strides [2] low [0] high [1] dilations [1] : tensor<2x3x9xf32>
    %p = nn.mul %y, %d : tensor<2x3x5xf32>, tensor<2x3x5xf32>
    %loss = nn.sum %p axes [0, 1, 2] : tensor<2x3x5xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// The transposed weights: element 0 is in results 0 and 1, element 1 in results 1 and 2.
// CHECK-LABEL: train.program @resample
// CHECK: grad_step @grad_step
// CHECK: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK: %[[DX:[a-z0-9_]+]] = nn.resample %[[D]] axis 1 taps 2 positions [0, 2, 1, 1] weights [1.000000e+00, 1.000000e+00, 2.500000e-01, 7.500000e-01]
// CHECK: train.gradient %[[DX]], @x
train.program @resample {
  train.state parameter @x : tensor<4x2xf32>
  train.input @d : tensor<4x3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4x2xf32>
    %d = train.read @d : tensor<4x3xf32>
    %y = nn.resample %x axis 1 taps 2 positions [0, 0, 1, 0, 1, 1] weights [1.0, 0.25, 1.0, 0.0, 0.75, 0.0]
        : tensor<4x2xf32>
    %p = nn.mul %y, %d : tensor<4x3xf32>, tensor<4x3xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<4x3xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
