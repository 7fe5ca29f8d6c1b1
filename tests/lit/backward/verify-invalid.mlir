// What the stage backward promises is checked.
// RUN: dlc-opt %s --split-input-file --dlc-verify-backward --verify-diagnostics

train.program @left {
  // expected-error @below {{'forward' is left after the stage backward}}
  train.function forward @forward {
  }
}

// -----

train.program @loss_left {
  train.function predict @predict {
    %c = nn.constant dense<1.0> : tensor<f32>
    // expected-error @below {{is left after the stage backward}}
    train.loss %c, %c : tensor<f32>, tensor<f32>
  }
}

// -----

train.program @second {
  train.function predict @predict {
  }
  // expected-error @below {{is the second of kind predict}}
  train.function predict @predict2 {
  }
}

// -----

train.program @dynamic {
  train.dim @batch = 8
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.function train_step @train_step {
    // expected-error @below {{has the type 'tensor<?x4xf32, #nn.dims<batch, _>>' in 'train_step': functions that train have static types, but for open dims in those for any size}}
    %x = train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
  }
}

// -----

train.program @half_open {
  train.dim open @batch = 8
  train.dim @seq = 4
  train.input @x : tensor<?x?xf32, #nn.dims<batch, seq>>
  train.input @y : tensor<?x4xf32, #nn.dims<batch, _>>
  train.function grad_step_n @grad_step_n {
    %y = train.read @y : tensor<?x4xf32, #nn.dims<batch, _>>
    // expected-error @below {{has the type 'tensor<?x?xf32, #nn.dims<batch, seq>>' in 'grad_step_n': functions that train have static types, but for open dims in those for any size}}
    %x = train.read @x : tensor<?x?xf32, #nn.dims<batch, seq>>
  }
}

// -----

train.program @forgotten_open {
  train.state parameter @w : tensor<4xf32>
  // expected-error @below {{'train_step_n' does not update parameter 'w'}}
  train.function train_step_n @train_step_n {
  }
}

// -----

train.program @forgotten {
  train.state parameter @w : tensor<4xf32>
  // expected-error @below {{'apply' does not update parameter 'w'}}
  train.function apply @apply {
  }
}

// -----

train.program @late_read {
  train.state parameter @w frozen : tensor<4xf32>
  train.state buffer @b : tensor<4xf32>
  train.function grad_step @grad_step {
    %w = train.read @w : tensor<4xf32>
    train.write %w, @b : tensor<4xf32>
    // expected-error @below {{reads @b after it was written}}
    %b = train.read @b : tensor<4xf32>
  }
}

// -----

train.program @read_twice {
  train.state parameter @w frozen : tensor<4xf32>
  train.function grad_step @grad_step {
    %w = train.read @w : tensor<4xf32>
    // expected-error @below {{reads @w a second time}}
    %v = train.read @w : tensor<4xf32>
  }
}

// -----

train.program @written_twice {
  train.state parameter @w frozen : tensor<4xf32>
  train.state buffer @b : tensor<4xf32>
  train.function grad_step @grad_step {
    %w = train.read @w : tensor<4xf32>
    train.write %w, @b : tensor<4xf32>
    // expected-error @below {{writes @b a second time}}
    train.write %w, @b : tensor<4xf32>
  }
}
