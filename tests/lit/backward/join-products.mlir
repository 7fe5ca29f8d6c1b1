// A weight that is applied at each time has one gradient: a product of all that it was applied to, row after row, and
// of all gradients. What is given, not computed, is not copied for that, and a product of many terms stays alone.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward --canonicalize | FileCheck %s

// CHECK-LABEL: train.program @recurrent
// CHECK: train.function train_step
// CHECK-COUNT-3: nn.tanh
// CHECK: [[X:%.*]] = nn.concat {{.*}} axis 0 : tensor<2x8xf32>, tensor<2x8xf32>
// CHECK: [[DY:%.*]] = nn.concat {{.*}} axis 0 : tensor<2x8xf32>, tensor<2x8xf32>
// CHECK: nn.matmul [[X]], [[DY]] transpose_a : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: train.function grad_step
train.program @recurrent {
  train.input @x : tensor<2x8xf32>
  train.state parameter @w : tensor<8x8xf32> = dense<0.1>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<2x8xf32>
    %w = train.read @w : tensor<8x8xf32>
    %0 = nn.matmul %x, %w : tensor<2x8xf32>, tensor<8x8xf32>
    %1 = nn.tanh %0 : tensor<2x8xf32>
    %2 = nn.matmul %1, %w : tensor<2x8xf32>, tensor<8x8xf32>
    %3 = nn.tanh %2 : tensor<2x8xf32>
    %4 = nn.matmul %3, %w : tensor<2x8xf32>, tensor<8x8xf32>
    %5 = nn.tanh %4 : tensor<2x8xf32>
    %loss = nn.sum %5 axes [0, 1] : tensor<2x8xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @many_terms
// CHECK: train.function train_step
// CHECK-NOT: nn.concat
// CHECK: train.function grad_step
train.program @many_terms {
  train.input @x : tensor<64x8xf32>
  train.state parameter @w : tensor<8x8xf32> = dense<0.1>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x8xf32>
    %w = train.read @w : tensor<8x8xf32>
    %0 = nn.matmul %x, %w : tensor<64x8xf32>, tensor<8x8xf32>
    %1 = nn.tanh %0 : tensor<64x8xf32>
    %2 = nn.matmul %1, %w : tensor<64x8xf32>, tensor<8x8xf32>
    %3 = nn.tanh %2 : tensor<64x8xf32>
    %loss = nn.sum %3 axes [0, 1] : tensor<64x8xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
