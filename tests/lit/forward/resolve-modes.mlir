// Batch norm and dropout in training and in evaluation.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-verify-forward | FileCheck %s

// CHECK-LABEL: forward @forward
// CHECK: %[[Y:.+]], %[[MEAN:.+]], %[[VARIANCE:.+]] = nn.batch_norm
// The unbiased variance enters the running one: n / (n - 1), n counted when the program runs.
// CHECK: %[[ONES:.+]] = nn.expand
// CHECK: nn.sum %[[ONES]] axes [0]
// CHECK: %[[UNBIASED:.+]] = nn.mul %[[VARIANCE]],
// CHECK: nn.mul %{{.+}}, %[[MEAN]]
// CHECK: %[[NEWMEAN:.+]] = nn.add
// CHECK: nn.mul %{{.+}}, %[[UNBIASED]]
// CHECK: %[[NEWVAR:.+]] = nn.add
// CHECK: nn.dropout %[[Y]], %[[RNG:.+]] ratio 5.0
// CHECK: train.write %[[NEWMEAN]], @mean
// CHECK: train.write %[[NEWVAR]], @var
// CHECK: %[[DRAW:.+]] = nn.constant dense<[0, 1]> : tensor<2xi64>
// CHECK: %[[NEXT:.+]] = nn.add %[[RNG]], %[[DRAW]]
// CHECK: train.write %[[NEXT]], @rng

// CHECK-LABEL: evaluate @evaluate
// CHECK-NOT: @rng
// CHECK: %[[M:.+]] = train.read @mean
// CHECK: %[[V:.+]] = train.read @var
// CHECK: %[[E:.+]] = nn.batch_norm_inference %{{.+}}, %{{.+}}, %{{.+}}, %[[M]], %[[V]]
// CHECK-NOT: nn.dropout
// CHECK: nn.mse_loss {{ ?}}mean %[[E]],
// CHECK-NOT: train.write
train.program @modes {
  train.dim @batch = 8
  train.state parameter @scale : tensor<4xf32>
  train.state parameter @bias : tensor<4xf32>
  train.state buffer @mean : tensor<4xf32>
  train.state buffer @var : tensor<4xf32>
  train.state rng @rng : tensor<2xi64>
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
    %s = train.read @scale : tensor<4xf32>
    %b = train.read @bias : tensor<4xf32>
    %rng = train.read @rng : tensor<2xi64>
    %n = train.batch_norm %x, %s, %b running @mean, @var momentum 0.9 epsilon 1.0e-5 : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<4xf32>, tensor<4xf32>
    %y = nn.dropout %n, %rng ratio 0.5 stream 0 : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<2xi64>
    %loss, %weight = nn.mse_loss mean %y, %x : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<?x4xf32, #nn.dims<batch, _>>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
