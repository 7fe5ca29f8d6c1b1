// An activation that the loss contains is left out of the loss's path, said, and kept in the prediction.
// RUN: dlc-opt %s --split-input-file --dlc-attach-loss="loss=softmax-cross-entropy" --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @softmax
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[Y:.+]] = nn.softmax %[[X]] axis 1
// CHECK: train.write %[[Y]], @y
// CHECK: nn.softmax_cross_entropy {{ ?}}mean %[[X]],
train.program @softmax {
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    // expected-remark @below {{loss 'softmax-cross-entropy' contains this Softmax: it takes what goes into it; the prediction keeps it}}
    %y = nn.softmax %x axis 1 : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// CHECK-LABEL: @log_of_softmax
// CHECK: %[[X:.+]] = train.read @x
// CHECK: nn.softmax_cross_entropy {{ ?}}mean %[[X]],
train.program @log_of_softmax {
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    // expected-remark @below {{contains this Softmax}}
    %p = nn.softmax %x axis 1 : tensor<8x4xf32>
    %y = nn.log %p : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// CHECK-LABEL: @log_softmax
// CHECK: %[[X:.+]] = train.read @x
// CHECK: nn.softmax_cross_entropy {{ ?}}mean %[[X]],
train.program @log_softmax {
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    // expected-remark @below {{contains this LogSoftmax}}
    %y = nn.log_softmax %x axis 1 : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}
