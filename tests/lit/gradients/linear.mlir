// Gradient rule of the matrix product: products with the transpositions swapped, dA before dB.
// Each program's loss is sum(y * d), so that the gradient of y is %d.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward | FileCheck %s

// CHECK-LABEL: train.program @matmul
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @b
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[MATMUL:[a-z0-9_]+]] = nn.matmul %[[D]], %[[B]] transpose_b
// CHECK-DAG: %[[MATMUL2:[a-z0-9_]+]] = nn.matmul %[[A]], %[[D]] transpose_a
// CHECK: train.gradient %[[MATMUL]], @a
// CHECK: train.gradient %[[MATMUL2]], @b
train.program @matmul {
  train.state parameter @a : tensor<3x4xf32>
  train.state parameter @b : tensor<4x5xf32>
  train.input @d : tensor<3x5xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<3x4xf32>
    %b = train.read @b : tensor<4x5xf32>
    %d = train.read @d : tensor<3x5xf32>
    %y = nn.matmul %a, %b : tensor<3x4xf32>, tensor<4x5xf32>
    %p = nn.mul %y, %d : tensor<3x5xf32>, tensor<3x5xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x5xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @matmul_tb
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @b
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[MATMUL:[a-z0-9_]+]] = nn.matmul %[[D]], %[[B]]
// CHECK-DAG: %[[MATMUL2:[a-z0-9_]+]] = nn.matmul %[[D]], %[[A]] transpose_a
// CHECK: train.gradient %[[MATMUL]], @a
// CHECK: train.gradient %[[MATMUL2]], @b
train.program @matmul_tb {
  train.state parameter @a : tensor<3x4xf32>
  train.state parameter @b : tensor<5x4xf32>
  train.input @d : tensor<3x5xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<3x4xf32>
    %b = train.read @b : tensor<5x4xf32>
    %d = train.read @d : tensor<3x5xf32>
    %y = nn.matmul %a, %b transpose_b : tensor<3x4xf32>, tensor<5x4xf32>
    %p = nn.mul %y, %d : tensor<3x5xf32>, tensor<3x5xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x5xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @matmul_ta
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @b
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[MATMUL:[a-z0-9_]+]] = nn.matmul %[[B]], %[[D]] transpose_b
// CHECK-DAG: %[[MATMUL2:[a-z0-9_]+]] = nn.matmul %[[A]], %[[D]]
// CHECK: train.gradient %[[MATMUL]], @a
// CHECK: train.gradient %[[MATMUL2]], @b
train.program @matmul_ta {
  train.state parameter @a : tensor<4x3xf32>
  train.state parameter @b : tensor<4x5xf32>
  train.input @d : tensor<3x5xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<4x3xf32>
    %b = train.read @b : tensor<4x5xf32>
    %d = train.read @d : tensor<3x5xf32>
    %y = nn.matmul %a, %b transpose_a : tensor<4x3xf32>, tensor<4x5xf32>
    %p = nn.mul %y, %d : tensor<3x5xf32>, tensor<3x5xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x5xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @matmul_ta_tb
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @b
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[MATMUL:[a-z0-9_]+]] = nn.matmul %[[B]], %[[D]] transpose_a transpose_b
// CHECK-DAG: %[[MATMUL2:[a-z0-9_]+]] = nn.matmul %[[D]], %[[A]] transpose_a transpose_b
// CHECK: train.gradient %[[MATMUL]], @a
// CHECK: train.gradient %[[MATMUL2]], @b
train.program @matmul_ta_tb {
  train.state parameter @a : tensor<4x3xf32>
  train.state parameter @b : tensor<5x4xf32>
  train.input @d : tensor<3x5xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<4x3xf32>
    %b = train.read @b : tensor<5x4xf32>
    %d = train.read @d : tensor<3x5xf32>
    %y = nn.matmul %a, %b transpose_a transpose_b : tensor<4x3xf32>, tensor<5x4xf32>
    %p = nn.mul %y, %d : tensor<3x5xf32>, tensor<3x5xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x5xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// One matrix for all rows: its gradient is one product.
// CHECK-LABEL: train.program @one_matrix
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @b
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[MATMUL:[a-z0-9_]+]] = nn.matmul %[[D]], %[[B]]
// CHECK-DAG: %[[RESHAPE:[a-z0-9_]+]] = nn.reshape %[[A]] : tensor<2x3x4xf32> -> tensor<6x4xf32>
// CHECK-DAG: %[[RESHAPE2:[a-z0-9_]+]] = nn.reshape %[[D]] : tensor<2x3x5xf32> -> tensor<6x5xf32>
// CHECK-DAG: %[[MATMUL2:[a-z0-9_]+]] = nn.matmul %[[RESHAPE2]], %[[RESHAPE]] transpose_a
// CHECK: train.gradient %[[MATMUL]], @a
// CHECK: train.gradient %[[MATMUL2]], @b
train.program @one_matrix {
  train.state parameter @a : tensor<2x3x4xf32>
  train.state parameter @b : tensor<5x4xf32>
  train.input @d : tensor<2x3x5xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<2x3x4xf32>
    %b = train.read @b : tensor<5x4xf32>
    %d = train.read @d : tensor<2x3x5xf32>
    %y = nn.matmul %a, %b transpose_b : tensor<2x3x4xf32>, tensor<5x4xf32>
    %p = nn.mul %y, %d : tensor<2x3x5xf32>, tensor<2x3x5xf32>
    %loss = nn.sum %p axes [0, 1, 2] : tensor<2x3x5xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// A broadcast batch dim is summed over.
// CHECK-LABEL: train.program @broadcast_batch
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @b
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[MATMUL:[a-z0-9_]+]] = nn.matmul %[[D]], %[[B]] transpose_b
// CHECK-DAG: %[[MATMUL2:[a-z0-9_]+]] = nn.matmul %[[A]], %[[D]] transpose_a
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[MATMUL2]] axes [0] keepdims
// CHECK: train.gradient %[[MATMUL]], @a
// CHECK: train.gradient %[[SUM]], @b
train.program @broadcast_batch {
  train.state parameter @a : tensor<2x3x4xf32>
  train.state parameter @b : tensor<1x4x5xf32>
  train.input @d : tensor<2x3x5xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<2x3x4xf32>
    %b = train.read @b : tensor<1x4x5xf32>
    %d = train.read @d : tensor<2x3x5xf32>
    %y = nn.matmul %a, %b : tensor<2x3x4xf32>, tensor<1x4x5xf32>
    %p = nn.mul %y, %d : tensor<2x3x5xf32>, tensor<2x3x5xf32>
    %loss = nn.sum %p axes [0, 1, 2] : tensor<2x3x5xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
