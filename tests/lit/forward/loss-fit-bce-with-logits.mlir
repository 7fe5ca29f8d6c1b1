// What bce-with-logits takes: scores, which may be below 0 and above 0.
// RUN: dlc-opt %s --split-input-file --dlc-recipe=set=loss=bce-with-logits --dlc-attach-loss --verify-diagnostics -o /dev/null

// Probabilities, with something after the sigmoid.
train.program @probabilities {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %p = nn.sigmoid %s : tensor<8x4xf32>
    %c = nn.constant dense<1.0e-9> : tensor<f32>
    // expected-warning @below {{loss 'bce-with-logits' takes scores of any size, which it applies a sigmoid to, but the values of output 'y' are numbers from 1e-09 to 1: it reads them as probabilities from 0.5 to 0.731; use --loss=bce, if they are probabilities already}}
    %y = nn.max %p, %c : tensor<8x4xf32>, tensor<f32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// Of a softmax.
train.program @softmax {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    // expected-warning @below {{it reads them as probabilities from 0.5 to 0.731; use --loss=bce, if they are probabilities already}}
    %y = nn.softmax %s axis 1 : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// Never below 0: never a no.
train.program @relu {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    // expected-warning @below {{it reads them as probabilities from 0.5 to 1; take the scores before they are limited}}
    %y = nn.relu %s : tensor<8x4xf32>
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
