// An activation that the loss applies itself: the loss is computed from what goes into it, and the prediction keeps
// it. PyTorch's loss would be another one, which is a warning; a logarithm of probabilities changes nothing of it.
// RUN: dlc-opt %s --split-input-file --dlc-recipe=set=loss=softmax-cross-entropy --dlc-attach-loss --verify-diagnostics | FileCheck %s

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
    // expected-warning @below {{loss 'softmax-cross-entropy' applies this Softmax itself, so it is computed from the scores before it (PyTorch applies both); the prediction is still what comes after it}}
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
    // expected-remark @below {{applies this Softmax}}
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
    // expected-remark @below {{applies this LogSoftmax}}
    %y = nn.log_softmax %x axis 1 : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// Moves after the softmax are done to the scores instead, if they leave the class axis whole.
// CHECK-LABEL: @moved
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[SCORES:.+]] = nn.transpose %[[X]] [0, 2, 1]
// CHECK: nn.softmax_cross_entropy {{ ?}}mean %[[SCORES]],
train.program @moved {
  train.input @x : tensor<8x5x4xf32>
  train.output prediction @y : tensor<8x4x5xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x5x4xf32>
    // expected-warning @below {{applies this Softmax}}
    %p = nn.softmax %x axis 2 : tensor<8x5x4xf32>
    %y = nn.transpose %p [0, 2, 1] : tensor<8x5x4xf32>
    train.write %y, @y : tensor<8x4x5xf32>
  }
}
