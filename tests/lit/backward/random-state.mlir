// The gradient drops what forward dropped; each step draws once; the seed is the state's initial value.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=seed=42 --dlc-backward --dlc-verify-backward | FileCheck %s

// CHECK: train.state {{ ?}}rng @rng : tensor<2xi64> = dense<[42, 0]>
// CHECK-LABEL: train_step @train_step
// CHECK: %[[RNG:.+]] = train.read @rng
// CHECK: nn.dropout %{{.+}}, %[[RNG]] ratio 2.000000e-01 stream 3
// CHECK: %[[NEXT:.+]] = nn.add %[[RNG]],
// CHECK: nn.dropout %{{.+}}, %[[RNG]] ratio 2.000000e-01 stream 3
// CHECK: train.write %[[NEXT]], @rng
// CHECK-LABEL: accumulate @accumulate
// CHECK: train.write %{{.+}}, @rng
// CHECK-LABEL: apply @apply
// CHECK-NOT: @rng
train.program @dropped {
  train.state parameter @w : tensor<4xf32>
  train.state rng @rng : tensor<2xi64>
  train.input target @target : tensor<4xf32>
  train.function forward @forward {
    %w = train.read @w : tensor<4xf32>
    %rng = train.read @rng : tensor<2xi64>
    %y = nn.dropout %w, %rng ratio 0.2 stream 3 : tensor<4xf32>, tensor<2xi64>
    %target = train.read @target : tensor<4xf32>
    %loss, %weight = nn.mse_loss mean %y, %target : tensor<4xf32>, tensor<4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
