// A parameter that is used twice has the sum of both gradients, and is updated after its last reader.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-verify-backward | FileCheck %s

// CHECK-LABEL: train_step @train_step
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[W:.+]] = train.read @w
// CHECK: %[[H:.+]] = nn.matmul %[[X]], %[[W]]
// CHECK: %[[DY:.+]] = nn.mul
// CHECK: %[[DH:.+]] = nn.matmul %[[DY]], %[[W]] transpose_b
// CHECK: %[[DW2:.+]] = nn.matmul %[[H]], %[[DY]] transpose_a
// CHECK-NOT: train.plain_sgd
// CHECK: %[[DW1:.+]] = nn.matmul %[[X]], %[[DH]] transpose_a
// CHECK: %[[DW:.+]] = nn.add %[[DW2]], %[[DW1]]
// CHECK: %[[G:.+]] = train.gradient %[[DW]], @w
// CHECK: train.plain_sgd %[[W]], %[[G]]
// CHECK-NOT: train.gradient
// CHECK-LABEL: grad_step @grad_step
train.program @twice {
  train.state parameter @w : tensor<3x3xf32>
  train.input @x : tensor<8x3xf32>
  train.input target @target : tensor<8x3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x3xf32>
    %w = train.read @w : tensor<3x3xf32>
    %h = nn.matmul %x, %w : tensor<8x3xf32>, tensor<3x3xf32>
    %y = nn.matmul %h, %w : tensor<8x3xf32>, tensor<3x3xf32>
    %target = train.read @target : tensor<8x3xf32>
    %loss, %weight = nn.mse_loss mean %y, %target : tensor<8x3xf32>, tensor<8x3xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
