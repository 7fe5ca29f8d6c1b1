// A loss that is a part of the model: a warning where it is given probabilities, of which it takes a softmax or a
// sigmoid once more.
// RUN: dlc-opt %s --split-input-file --dlc-attach-loss --verify-diagnostics -o /dev/null

train.program @twice {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.input target @labels : tensor<8xi64>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %labels = train.read @labels : tensor<8xi64>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    // expected-warning @below {{loss 'softmax-cross-entropy' takes scores of any size, which it applies a softmax to, but the values of what it is given are numbers from 0 to 1, probabilities already: with a second softmax the loss cannot fall below 0.744; leave the model's own out}}
    %p = nn.softmax %s axis 1 : tensor<8x4xf32>
    %loss, %weight = nn.softmax_cross_entropy mean %p, %labels ignore_index -100 : tensor<8x4xf32>, tensor<8xi64>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

train.program @sigmoid {
  train.state parameter @w : tensor<4x1xf32>
  train.input @x : tensor<8x4xf32>
  train.input target @t : tensor<8x1xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x1xf32>
    %t = train.read @t : tensor<8x1xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x1xf32>
    // expected-warning @below {{loss 'bce-with-logits' takes scores of any size, which it applies a sigmoid to, but the values of what it is given are numbers from 0 to 1: it reads them as probabilities from 0.5 to 0.731; use --loss=bce, if they are probabilities already}}
    %p = nn.sigmoid %s : tensor<8x1xf32>
    %loss, %weight = nn.bce_with_logits_loss mean %p, %t : tensor<8x1xf32>, tensor<8x1xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

train.program @likelihood {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.input target @labels : tensor<8xi64>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %labels = train.read @labels : tensor<8xi64>
    // expected-warning @below {{loss 'nll' takes logarithms of probabilities, as a LogSoftmax gives them, but the values of what it is given can be any number: the loss has no lower end and falls for ever}}
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %loss, %weight = nn.nll_loss mean %s, %labels ignore_index -100 : tensor<8x4xf32>, tensor<8xi64>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// Scores of any size are what it takes.
train.program @scores {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.input target @labels : tensor<8xi64>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %labels = train.read @labels : tensor<8xi64>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %loss, %weight = nn.softmax_cross_entropy mean %s, %labels ignore_index -100 : tensor<8x4xf32>, tensor<8xi64>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
