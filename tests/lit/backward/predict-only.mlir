// Without a loss there is only predict, and no random state.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-verify-backward | FileCheck %s

// CHECK-NOT: @rng
// CHECK: train.function {{ ?}}predict @predict
// CHECK: %[[X:.+]] = train.read @x
// CHECK: train.write %[[X]], @y
// CHECK-NOT: train.function
train.program @identity {
  train.state rng @rng : tensor<2xi64>
  train.input @x : tensor<4xf32>
  train.output prediction @y : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %rng = train.read @rng : tensor<2xi64>
    %y = nn.dropout %x, %rng ratio 0.5 stream 0 : tensor<4xf32>, tensor<2xi64>
    train.write %y, @y : tensor<4xf32>
  }
}
