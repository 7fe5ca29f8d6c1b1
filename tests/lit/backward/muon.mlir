// Muon updates matrices; other parameters have AdamW's update, with its slots. Both share the rate and the decay.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=muon --dlc-backward --dlc-verify-backward | FileCheck %s

// CHECK-NOT: @fc.w.exp_avg
// CHECK: optimizer_state @fc.w.momentum_buffer of @fc.w : tensor<3x2xf32>
// CHECK: optimizer_state @fc.b.exp_avg of @fc.b
// CHECK: optimizer_state @fc.b.exp_avg_sq of @fc.b
// CHECK-NOT: @fc.b.momentum_buffer
// CHECK: hyperparameter @learning_rate
// CHECK-NEXT: hyperparameter @weight_decay {{.*}} = dense<1.000000e-01>
// CHECK-NEXT: hyperparameter @momentum {{.*}} = dense<0.94999999999999996>
// CHECK-NEXT: hyperparameter @beta1
// CHECK-NEXT: hyperparameter @beta2
// CHECK-NEXT: hyperparameter @epsilon
// CHECK-LABEL: train_step @train_step
// CHECK-DAG: %[[RATE:[a-z0-9_]+]] = train.read @learning_rate
// CHECK-DAG: %[[SHRINK:[a-z0-9_]+]] = train.read @weight_decay
// CHECK-DAG: %[[MOMENTUM:[a-z0-9_]+]] = train.read @momentum
// CHECK: train.adam {{.*}}, %[[RATE]], {{.*}}, %[[SHRINK]], {{.*}} {decoupled} : tensor<2xf32>
// CHECK: train.muon {{.*}}, %[[RATE]], %[[SHRINK]], %[[MOMENTUM]], {{.*}} : tensor<3x2xf32>
train.program @linear {
  train.state parameter @fc.w : tensor<3x2xf32>
  train.state parameter @fc.b : tensor<2xf32>
  train.input @x : tensor<8x3xf32>
  train.input target @target : tensor<8x2xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x3xf32>
    %w = train.read @fc.w : tensor<3x2xf32>
    %b = train.read @fc.b : tensor<2xf32>
    %z = nn.matmul %x, %w : tensor<8x3xf32>, tensor<3x2xf32>
    %y = nn.add %z, %b : tensor<8x2xf32>, tensor<2xf32>
    %target = train.read @target : tensor<8x2xf32>
    %loss, %weight = nn.mse_loss mean %y, %target : tensor<8x2xf32>, tensor<8x2xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
