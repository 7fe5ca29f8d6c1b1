// Values of one mode, what only the other one computes, and buffers that the forward pass moves.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-verify-forward | FileCheck %s

// The normalization of evaluation has no batch in training: nothing moves its statistics.
// CHECK-LABEL: forward @forward
// CHECK-NOT: nn.batch_norm
// CHECK: %[[NEXT:.+]] = nn.add
// CHECK: train.write %[[NEXT]], @steps
// CHECK: %[[NOISY:.+]] = nn.add
// CHECK-NOT: nn.batch_norm
// CHECK: nn.mse_loss {{ ?}}mean %[[NOISY]],
// CHECK-NOT: train.write

// CHECK-LABEL: evaluate @evaluate
// CHECK: %[[E:.+]] = nn.batch_norm_inference
// CHECK: nn.mse_loss {{ ?}}mean %[[E]],
// CHECK-NOT: train.write
train.program @modes {
  train.state parameter @scale : tensor<4xf32>
  train.state buffer @mean : tensor<4xf32>
  train.state buffer @var : tensor<4xf32>
  train.state buffer @steps : tensor<f32>
  train.input @x : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %s = train.read @scale : tensor<4xf32>
    %steps = train.read @steps : tensor<f32>
    %one = nn.constant dense<1.0> : tensor<f32>
    %next = nn.add %steps, %one : tensor<f32>, tensor<f32>
    train.write %next, @steps : tensor<f32>
    %noisy = nn.add %x, %s : tensor<8x4xf32>, tensor<4xf32>
    %n = train.batch_norm %x, %s, %s running @mean, @var momentum 0.9 epsilon 1.0e-5 : tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>
    %y = train.by_mode %noisy, %n : tensor<8x4xf32>
    %loss, %weight = nn.mse_loss mean %y, %x : tensor<8x4xf32>, tensor<8x4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
