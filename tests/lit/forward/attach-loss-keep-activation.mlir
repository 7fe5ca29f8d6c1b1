// Who wrote a softmax or a sigmoid before a loss that applies it once more gets both, as PyTorch has them, and a warning. A
// logarithm of probabilities changes nothing of the loss.
// RUN: dlc-opt %s --split-input-file --dlc-recipe=set=loss=softmax-cross-entropy,keep_activation --dlc-attach-loss --verify-diagnostics | FileCheck %s
// RUN: dlc-opt %s --split-input-file --dlc-recipe=set=loss=bce-with-logits,keep_activation --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=SIGMOID

// CHECK-LABEL: @softmax
// CHECK: %[[Y:.+]] = nn.softmax
// CHECK: nn.softmax_cross_entropy {{ ?}}mean %[[Y]],
train.program @softmax {
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    // expected-warning @below {{loss 'softmax-cross-entropy' takes scores of any size, which it applies a softmax to, but the values of output 'y' are numbers from 0 to 1, probabilities already: with a second softmax the loss cannot fall below 0.744; leave the model's own out}}
    %y = nn.softmax %x axis 1 : tensor<8x4xf32>
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

// SIGMOID: warning: loss 'bce-with-logits' takes scores of any size, which it applies a sigmoid to, but the values of output 'y' are numbers from 0 to 1: it reads them as probabilities from 0.5 to 0.731
// SIGMOID: @sigmoid
// SIGMOID: %[[Y:.+]] = nn.sigmoid
// SIGMOID: nn.bce_with_logits_loss {{ ?}}mean %[[Y]],
// CHECK-LABEL: @sigmoid
train.program @sigmoid {
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    // expected-warning @below {{cannot fall below 0.744}}
    %y = nn.sigmoid %x : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}
