// The shortest way from a parameter to the loss: its gradient is 1.
// RUN: dlc-opt %s --dlc-recipe=set=loss=output --dlc-attach-loss --dlc-resolve-modes --dlc-backward --dlc-verify-backward | FileCheck %s

// CHECK-LABEL: grad_step @grad_step
// CHECK: %[[ONE:.+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK: train.gradient %[[ONE]], @w
train.program @least {
  train.state parameter @w : tensor<f32>
  train.output prediction @y : tensor<f32>
  train.function forward @forward {
    %w = train.read @w : tensor<f32>
    train.write %w, @y : tensor<f32>
  }
}
