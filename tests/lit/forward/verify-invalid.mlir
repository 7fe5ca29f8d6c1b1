// What the stage forward promises is checked.
// RUN: dlc-opt %s --split-input-file --dlc-verify-forward --verify-diagnostics

// expected-error @below {{expects one function 'forward' and one 'evaluate' after the stage forward}}
train.program @one {
  train.function forward @forward {
  }
}

// -----

train.program @too_many_dims {
  // expected-error @below {{input 'x' has 9 dims, at most 8 are supported}}
  train.input @x : tensor<1x1x1x1x1x1x1x1x2xf32>
  // expected-error @below {{output 'y' has 9 dims, at most 8 are supported}}
  train.output prediction @y : tensor<1x1x1x1x1x1x1x1x2xf32>
}

// -----

train.program @dropped {
  train.state rng @rng : tensor<2xi64>
  train.input @x : tensor<8x4xf32>
  train.function forward @forward {
  }
  train.function evaluate @evaluate {
    %x = train.read @x : tensor<8x4xf32>
    %rng = train.read @rng : tensor<2xi64>
    // expected-error @below {{is left in 'evaluate', where nothing is dropped}}
    %y = nn.dropout %x, %rng ratio 0.5 stream 0 : tensor<8x4xf32>, tensor<2xi64>
  }
}

// -----

train.program @two_losses {
  train.function forward @forward {
    %c = nn.constant dense<1.0> : tensor<f32>
    train.loss %c, %c : tensor<f32>, tensor<f32>
    // expected-error @below {{is the second of 'forward'; there is one loss}}
    train.loss %c, %c : tensor<f32>, tensor<f32>
  }
}

// -----

// expected-error @below {{expects a loss in both 'forward' and 'evaluate' or in none}}
train.program @half {
  train.function forward @forward {
    %c = nn.constant dense<1.0> : tensor<f32>
    train.loss %c, %c : tensor<f32>, tensor<f32>
  }
  train.function evaluate @evaluate {
  }
}

// -----

train.program @unresolved {
  train.state buffer @mean : tensor<4xf32>
  train.state buffer @var : tensor<4xf32>
  train.input @x : tensor<8x4xf32>
  train.input @s : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %s = train.read @s : tensor<4xf32>
    // expected-error @below {{is left after the stage forward, which chooses its mode}}
    %y = train.batch_norm %x, %s, %s running @mean, @var momentum 0.9 epsilon 1.0e-5 : tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

train.program @later {
  // expected-error @below {{'predict' is not expected before the stage backward}}
  train.function predict @predict {
  }
}

// -----

train.program @two_modes {
  train.function forward @forward {
    %c = nn.constant dense<1.0> : tensor<f32>
    // expected-error @below {{is left after the stage forward, which chooses its mode}}
    %m = train.by_mode %c, %c : tensor<f32>
  }
}

// -----

train.program @guarded {
  train.input @sure : tensor<i1>
  train.function forward @forward {
    %sure = train.read @sure : tensor<i1>
    // expected-error @below {{'train.update_if' op is not expected before the stage backward, which makes it}}
    train.update_if %sure : tensor<i1>
  }
}

// -----

train.program @has_gradient {
  train.state parameter @w : tensor<2xf32>
  train.function forward @forward {
    %w = train.read @w : tensor<2xf32>
    // expected-error @below {{'train.gradient' op is not expected before the stage backward, which makes it}}
    %g = train.gradient %w, @w : tensor<2xf32>
  }
}
