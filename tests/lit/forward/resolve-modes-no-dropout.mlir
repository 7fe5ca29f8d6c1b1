// Without dropout, and with dropout of nothing, there is no random state.
// RUN: dlc-opt %s --dlc-resolve-modes | FileCheck %s

// CHECK-NOT: rng
// CHECK-NOT: nn.dropout
train.program @kept {
  train.state rng @rng : tensor<2xi64>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %rng = train.read @rng : tensor<2xi64>
    %y = nn.dropout %x, %rng ratio 0.0 stream 0 : tensor<8x4xf32>, tensor<2xi64>
    train.write %y, @y : tensor<8x4xf32>
  }
}
