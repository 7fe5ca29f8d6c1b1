// Gradient rules of convolutions: each of the three operations has the other two as gradients.
// Each program's loss is sum(y * d), so that the gradient of y is %d.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward | FileCheck %s

// CHECK-LABEL: train.program @conv
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @w
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[GA:[a-z0-9_]+]] = nn.conv_transpose %[[D]], %[[B]] size [7] strides [2] dilations [1] low [1] high [0] groups 2
// CHECK-DAG: %[[GB:[a-z0-9_]+]] = nn.conv_weight_gradient %[[A]], %[[D]] kernel [3] strides [2] dilations [1] low [1] high [0] groups 2
// CHECK: train.gradient %[[GA]], @x
// CHECK: train.gradient %[[GB]], @w
train.program @conv {
  train.state parameter @x : tensor<3x4x7xf32>
  train.state parameter @w : tensor<6x2x3xf32>
  train.input @d : tensor<3x6x3xf32>
  train.function forward @forward {
    %a = train.read @x : tensor<3x4x7xf32>
    %b = train.read @w : tensor<6x2x3xf32>
    %d = train.read @d : tensor<3x6x3xf32>
    %y = nn.conv %a, %b strides [2] dilations [1] low [1] high [0] groups 2 : tensor<3x4x7xf32>, tensor<6x2x3xf32>
    %p = nn.mul %y, %d : tensor<3x6x3xf32>, tensor<3x6x3xf32>
    %loss = nn.sum %p axes [0, 1, 2] : tensor<3x6x3xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @conv_transpose
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @y
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @w
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[GA:[a-z0-9_]+]] = nn.conv %[[D]], %[[B]] strides [2] dilations [1] low [1] high [0] groups 2
// CHECK-DAG: %[[GB:[a-z0-9_]+]] = nn.conv_weight_gradient %[[D]], %[[A]] kernel [3] strides [2] dilations [1] low [1] high [0] groups 2
// CHECK: train.gradient %[[GA]], @y
// CHECK: train.gradient %[[GB]], @w
train.program @conv_transpose {
  train.state parameter @y : tensor<3x6x3xf32>
  train.state parameter @w : tensor<6x2x3xf32>
  train.input @d : tensor<3x4x7xf32>
  train.function forward @forward {
    %a = train.read @y : tensor<3x6x3xf32>
    %b = train.read @w : tensor<6x2x3xf32>
    %d = train.read @d : tensor<3x4x7xf32>
    %y = nn.conv_transpose %a, %b size [7] strides [2] dilations [1] low [1] high [0] groups 2 : tensor<3x6x3xf32>, tensor<6x2x3xf32>
    %p = nn.mul %y, %d : tensor<3x4x7xf32>, tensor<3x4x7xf32>
    %loss = nn.sum %p axes [0, 1, 2] : tensor<3x4x7xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @conv_weight_gradient
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @y
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[GA:[a-z0-9_]+]] = nn.conv_transpose %[[B]], %[[D]] size [7] strides [2] dilations [1] low [1] high [0] groups 2
// CHECK-DAG: %[[GB:[a-z0-9_]+]] = nn.conv %[[A]], %[[D]] strides [2] dilations [1] low [1] high [0] groups 2
// CHECK: train.gradient %[[GA]], @x
// CHECK: train.gradient %[[GB]], @y
train.program @conv_weight_gradient {
  train.state parameter @x : tensor<3x4x7xf32>
  train.state parameter @y : tensor<3x6x3xf32>
  train.input @d : tensor<6x2x3xf32>
  train.function forward @forward {
    %a = train.read @x : tensor<3x4x7xf32>
    %b = train.read @y : tensor<3x6x3xf32>
    %d = train.read @d : tensor<6x2x3xf32>
    %y = nn.conv_weight_gradient %a, %b kernel [3] strides [2] dilations [1] low [1] high [0] groups 2 : tensor<3x4x7xf32>, tensor<3x6x3xf32>
    %p = nn.mul %y, %d : tensor<6x2x3xf32>, tensor<6x2x3xf32>
    %loss = nn.sum %p axes [0, 1, 2] : tensor<6x2x3xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
