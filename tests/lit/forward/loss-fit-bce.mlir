// What bce takes: probabilities. Other values are an error where the model certainly gives them, else a warning.
// RUN: dlc-opt %s --split-input-file --dlc-recipe=set=loss=bce --dlc-attach-loss --verify-diagnostics -o /dev/null

// Raw scores of a linear layer.
train.program @scores {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    // expected-error @below {{loss 'bce' takes probabilities, numbers from 0 to 1, but the values of output 'y' can be any number: below 0 and above 1 the loss is not a number; use --loss=bce-with-logits, which takes scores of any size, or end the model in a Sigmoid}}
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
    // expected-error @below {{the values of output 'y' can be any number from 0 on}}
    %y = nn.relu %s : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// On both sides of zero.
train.program @tanh {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    // expected-error @below {{the values of output 'y' are numbers from -1 to 1}}
    %y = nn.tanh %s : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// Probabilities made larger.
train.program @dropout_after {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %r = nn.sigmoid %s : tensor<8x4xf32>
    %c = nn.constant dense<1.5> : tensor<f32>
    // expected-error @below {{the values of output 'y' are numbers from 0 to 1.5}}
    %y = nn.mul %r, %c : tensor<8x4xf32>, tensor<f32>
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
    // expected-warning @below {{the values of output 'y' can be any number, as far as can be seen: where one lies below 0 or above 1 the loss is not a number}}
    %y = nn.mul %x, %s : tensor<8x4xf32>, tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// Probabilities.
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

// -----

// Their complement.
train.program @complement {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %one = nn.constant dense<1.0> : tensor<f32>
    %p = nn.sigmoid %s : tensor<8x4xf32>
    %y = nn.sub %one, %p : tensor<f32>, tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// A tanh scaled and shifted to 0 to 1.
train.program @tanh_scaled {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %half = nn.constant dense<0.5> : tensor<f32>
    %t = nn.tanh %s : tensor<8x4xf32>
    %h = nn.mul %t, %half : tensor<8x4xf32>, tensor<f32>
    %y = nn.add %h, %half : tensor<8x4xf32>, tensor<f32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// Shares of a sum.
train.program @shares {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %e = nn.exp %s : tensor<8x4xf32>
    %t = nn.sum %e axes [1] keepdims : tensor<8x4xf32>
    %y = nn.div %e, %t : tensor<8x4xf32>, tensor<8x1xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// Probabilities times probabilities.
train.program @gated {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %p = nn.sigmoid %s : tensor<8x4xf32>
    %q = nn.hard_sigmoid %s {alpha = 0.2 : f64, beta = 0.5 : f64} : tensor<8x4xf32>
    %y = nn.mul %p, %q : tensor<8x4xf32>, tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

// A softmax gives probabilities, too.
train.program @softmax {
  train.state parameter @w : tensor<4x4xf32>
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %s = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
    %y = nn.softmax %s axis 1 : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}
