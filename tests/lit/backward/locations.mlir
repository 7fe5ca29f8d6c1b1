// Backward operations say whose gradient they compute.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: grad_step @grad_step
// CHECK: %[[Y:.+]] = nn.tanh {{.+}} loc("hidden/Tanh")
// CHECK: nn.mul %[[Y]], %[[Y]] : {{.+}} loc("gradient of hidden/Tanh"("hidden/Tanh"))
train.program @named {
  train.state parameter @w : tensor<4xf32>
  train.input target @target : tensor<4xf32>
  train.function forward @forward {
    %w = train.read @w : tensor<4xf32>
    %y = nn.tanh %w : tensor<4xf32> loc("hidden/Tanh")
    %target = train.read @target : tensor<4xf32>
    %loss, %weight = nn.mse_loss mean %y, %target : tensor<4xf32>, tensor<4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
