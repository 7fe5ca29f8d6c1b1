// What softmax-cross-entropy takes: scores. A warning where they cannot say "this class" or hardly learn to.
// RUN: dlc-opt %s --split-input-file --dlc-recipe=set=loss=softmax-cross-entropy --dlc-attach-loss --verify-diagnostics -o /dev/null

// Probabilities, with something after the softmax.
train.program @twice {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %p = nn.softmax %s axis 1 : tensor<8x4xf32>
    %c = nn.constant dense<1.0e-9> : tensor<f32>
    // expected-warning @below {{loss 'softmax-cross-entropy' takes scores of any size, which it applies a softmax to, but the values of output 'y' are numbers from 1e-09 to 1: the loss of 4 classes cannot fall below 0.744; take the scores before they are limited}}
    %y = nn.max %p, %c : tensor<8x4xf32>, tensor<f32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// A sigmoid for each class.
train.program @sigmoids {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    // expected-warning @below {{are numbers from 0 to 1: the loss of 4 classes cannot fall below 0.744}}
    %y = nn.sigmoid %s : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// Limited scores.
train.program @tanh {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    // expected-warning @below {{are numbers from -1 to 1: the loss of 4 classes cannot fall below 0.341}}
    %y = nn.tanh %s : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// Half of the scores.
train.program @relu {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    // expected-warning @below {{can be any number from 0 on: a Relu makes all scores below 0 equal, and they learn nothing more; take the scores before it}}
    %y = nn.relu %s : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// Scores capped at 30 say enough.
train.program @capped {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %c = nn.constant dense<30.0> : tensor<f32>
    %d = nn.div %s, %c : tensor<8x4xf32>, tensor<f32>
    %t = nn.tanh %d : tensor<8x4xf32>
    %y = nn.mul %t, %c : tensor<8x4xf32>, tensor<f32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// Scores.
train.program @scores {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %y = nn.reshape %s : tensor<8x4xf32> -> tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// A softmax of one score is 1.
train.program @one {
  train.input @x : tensor<8x1xf32>
  train.output prediction @y : tensor<8x1xf32>
  train.function forward @forward {
    // expected-warning @below {{loss 'softmax-cross-entropy' takes scores of two or more classes, but output 'y' float32 [8, 1] has one, of which the loss is always 0; use --loss=bce-with-logits for a single score}}
    %x = train.read @x : tensor<8x1xf32>
    train.write %x, @y : tensor<8x1xf32>
  }
}
