// mse and l1 of a softmax take rows of probabilities as targets, and no labels: seldom what is meant.
// RUN: dlc-opt %s --split-input-file --dlc-recipe=set=loss=mse --dlc-attach-loss --verify-diagnostics -o /dev/null

train.program @softmax {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    // expected-warning @below {{loss 'mse': output 'y' is a softmax, the probabilities of classes: its targets are probabilities of the same shape, and no labels; for labels use --loss=softmax-cross-entropy, which also learns faster}}
    %y = nn.softmax %s axis 1 : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

train.program @sigmoid {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %y = nn.sigmoid %s : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}
