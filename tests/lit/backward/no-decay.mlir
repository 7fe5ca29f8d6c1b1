// Parameters that globs name have no weight decay, whatever the program sets it to.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward="optimizer=adamw no-decay=*.b" --dlc-verify-backward | FileCheck %s
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-backward="optimizer=adamw no-decay=norm*" 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK-LABEL: train_step @train_step
// CHECK-DAG: %[[DECAY:[a-z0-9_]+]] = train.read @weight_decay
// CHECK-DAG: %[[ZERO:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f64>
// CHECK-DAG: train.adam{{.*}}, %[[DECAY]], %{{[a-z0-9_]+}} {decoupled} : tensor<3x2xf32>
// CHECK-DAG: train.adam{{.*}}, %[[ZERO]], %{{[a-z0-9_]+}} {decoupled} : tensor<2xf32>
// CHECK-LABEL: grad_step

// NONE: error: no-decay 'norm*' matches none of the parameters: 'fc.w' 'fc.b'
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
