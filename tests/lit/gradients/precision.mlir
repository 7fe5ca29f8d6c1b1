// Gradients of products of low precision: the result's gradient is rounded to the operands' type, the sums are not.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-recipe=set=precision=bf16 --dlc-set-precision --dlc-backward \
// RUN:     --canonicalize --cse --dlc-verify-backward | FileCheck %s

// CHECK-LABEL: train.program @matmul
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @b
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[LA:[a-z0-9_]+]] = nn.cast %[[A]] to bf16
// CHECK-DAG: %[[LB:[a-z0-9_]+]] = nn.cast %[[B]] to bf16
// CHECK-DAG: %[[LD:[a-z0-9_]+]] = nn.cast %[[D]] to bf16
// CHECK-DAG: %[[DA:[a-z0-9_]+]] = nn.matmul %[[LD]], %[[LB]] transpose_b wide : tensor<3x5xbf16>, tensor<4x5xbf16>
// CHECK-DAG: %[[DB:[a-z0-9_]+]] = nn.matmul %[[LA]], %[[LD]] transpose_a wide : tensor<3x4xbf16>, tensor<3x5xbf16>
// CHECK-DAG: train.gradient %[[DA]], @a : tensor<3x4xf32>
// CHECK-DAG: train.gradient %[[DB]], @b : tensor<4x5xf32>
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

// Gradients of several products of one value are added up in f32.
// CHECK-LABEL: train.program @several
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[ONE:[a-z0-9_]+]] = nn.conv_weight_gradient {{.*}} wide : tensor<2x3x6xbf16>, tensor<2x4x4xbf16>
// CHECK-DAG: %[[OTHER:[a-z0-9_]+]] = nn.conv_weight_gradient {{.*}} wide : tensor<2x3x6xbf16>, tensor<2x4x4xbf16>
// CHECK: %[[SUM:[a-z0-9_]+]] = nn.add %{{.+}}, %{{.+}} : tensor<4x3x3xf32>, tensor<4x3x3xf32>
// CHECK: train.gradient %[[SUM]], @w : tensor<4x3x3xf32>
train.program @several {
  train.state parameter @w : tensor<4x3x3xf32>
  train.input @x : tensor<2x3x6xf32>
  train.input @u : tensor<2x3x6xf32>
  train.input @d : tensor<2x4x4xf32>
  train.input @e : tensor<2x4x4xf32>
  train.function forward @forward {
    %w = train.read @w : tensor<4x3x3xf32>
    %x = train.read @x : tensor<2x3x6xf32>
    %u = train.read @u : tensor<2x3x6xf32>
    %d = train.read @d : tensor<2x4x4xf32>
    %e = train.read @e : tensor<2x4x4xf32>
    %y = nn.conv %x, %w strides [1] dilations [1] low [0] high [0] groups 1 : tensor<2x3x6xf32>, tensor<4x3x3xf32>
    %z = nn.conv %u, %w strides [1] dilations [1] low [0] high [0] groups 1 : tensor<2x3x6xf32>, tensor<4x3x3xf32>
    %p = nn.mul %y, %d : tensor<2x4x4xf32>, tensor<2x4x4xf32>
    %q = nn.mul %z, %e : tensor<2x4x4xf32>, tensor<2x4x4xf32>
    %s = nn.add %p, %q : tensor<2x4x4xf32>, tensor<2x4x4xf32>
    %loss = nn.sum %s axes [0, 1, 2] : tensor<2x4x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
