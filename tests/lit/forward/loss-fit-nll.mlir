// What nll takes: logarithms of probabilities. Without an upper end of the scores, the loss has no lower end.
// RUN: dlc-opt %s --split-input-file --dlc-recipe=set=loss=nll --dlc-attach-loss --verify-diagnostics -o /dev/null

// Raw scores of a linear layer.
train.program @scores {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    // expected-error @below {{loss 'nll' takes logarithms of probabilities, as a LogSoftmax gives them, but the values of output 'y' can be any number: the loss has no lower end and falls for ever; use --loss=softmax-cross-entropy, which takes scores of any size, or end the model in a LogSoftmax}}
    %y = nn.reshape %s : tensor<8x4xf32> -> tensor<8x4xf32>
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
    // expected-error @below {{can be any number from 0 on: the loss has no lower end}}
    %y = nn.relu %s : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// The logarithm is missing.
train.program @softmax {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    // expected-warning @below {{the values of output 'y' are numbers from 0 to 1, probabilities themselves; use --loss=softmax-cross-entropy, which takes scores of any size, or end the model in a LogSoftmax}}
    %y = nn.softmax %s axis 1 : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// A lower end, but no probabilities.
train.program @tanh {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    // expected-warning @below {{the values of output 'y' are numbers from -1 to 1; }}
    %y = nn.tanh %s : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// Each class by itself: the exponentials do not sum to one.
train.program @log_sigmoid {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %p = nn.sigmoid %s : tensor<8x4xf32>
    // expected-warning @below {{the values of output 'y' can be any number up to 0; }}
    %y = nn.log %p : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// A product of which nothing is known.
train.program @unknown {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    // expected-warning @below {{can be any number, as far as can be seen; }}
    %y = nn.mul %x, %s : tensor<8x4xf32>, tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// Logarithms of probabilities.
train.program @log_softmax {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %y = nn.log_softmax %s axis 1 : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// In two steps.
train.program @log_of_softmax {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %p = nn.softmax %s axis 1 : tensor<8x4xf32>
    %y = nn.log %p : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// In steps of the model's own.
train.program @log_of_shares {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %e = nn.exp %s : tensor<8x4xf32>
    %t = nn.sum %e axes [1] keepdims : tensor<8x4xf32>
    %p = nn.div %e, %t : tensor<8x4xf32>, tensor<8x1xf32>
    %y = nn.log %p : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// A mixture of two: not seen to be probabilities, and not seen not to be.
train.program @log_of_mixture {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %p = nn.softmax %s axis 1 : tensor<8x4xf32>
    %q = nn.softmax %x axis 1 : tensor<8x4xf32>
    %half = nn.constant dense<0.5> : tensor<f32>
    %a = nn.mul %p, %half : tensor<8x4xf32>, tensor<f32>
    %b = nn.mul %q, %half : tensor<8x4xf32>, tensor<f32>
    %m = nn.add %a, %b : tensor<8x4xf32>, tensor<8x4xf32>
    %y = nn.log %m : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}
