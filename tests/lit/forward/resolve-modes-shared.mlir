// A batch norm applied twice updates its statistics twice, in order; they are written once. With `biased`
// the variance is taken as it is.
// RUN: dlc-opt %s --dlc-resolve-modes | FileCheck %s

// CHECK: %[[Y1:.+]], %[[MEAN1:.+]], %[[VAR1:.+]] = nn.batch_norm
// CHECK: %[[OLD:.+]] = train.read @mean
// CHECK: %[[KEPT:.+]] = nn.mul %{{.+}}, %[[OLD]]
// CHECK: %[[NEW:.+]] = nn.mul %{{.+}}, %[[MEAN1]]
// CHECK: %[[FIRST:.+]] = nn.add %[[KEPT]], %[[NEW]]
// CHECK: nn.mul %{{.+}}, %[[VAR1]]
// CHECK: nn.batch_norm %[[Y1]]
// CHECK-NOT: train.read @mean
// CHECK: nn.mul %{{.+}}, %[[FIRST]]
// CHECK: %[[SECOND:.+]] = nn.add
// CHECK: train.write %[[SECOND]], @mean
// CHECK-NOT: train.write %{{.+}}, @mean
train.program @twice {
  train.state parameter @scale : tensor<4xf32>
  train.state parameter @bias : tensor<4xf32>
  train.state buffer @mean : tensor<4xf32>
  train.state buffer @var : tensor<4xf32>
  train.input @x : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %s = train.read @scale : tensor<4xf32>
    %b = train.read @bias : tensor<4xf32>
    %n = train.batch_norm %x, %s, %b running @mean, @var momentum 0.9 epsilon 1.0e-5 biased : tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>
    %m = train.batch_norm %n, %s, %b running @mean, @var momentum 0.9 epsilon 1.0e-5 biased : tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>
    %loss, %weight = nn.mse_loss mean %m, %x : tensor<8x4xf32>, tensor<8x4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
