// What may read and write which symbol.
// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @f() {
  // expected-error@+1 {{'train.read' op expects to be in a train.program}}
  %0 = train.read @x : tensor<4xf32>
  return
}

// -----

train.program @p {
  train.function predict @predict {
    // expected-error@+1 {{'train.read' op names @x, which the program does not declare}}
    %0 = train.read @x : tensor<4xf32>
  }
}

// -----

train.program @p {
  train.output prediction @y : tensor<4xf32>
  train.function predict @predict {
    // expected-error@+1 {{'train.read' op expects @y to be a state or an input, got train.output}}
    %0 = train.read @y : tensor<4xf32>
  }
}

// -----

train.program @p {
  train.dim @batch = 8
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.function predict @predict {
    // expected-error@+1 {{'train.read' op expects the type of @x, 'tensor<?x4xf32, #nn.dims<batch, _>>', got 'tensor<9x4xf32>'}}
    %0 = train.read @x : tensor<9x4xf32>
  }
}

// -----

train.program @p {
  train.state parameter @w layout <[1, 0]> : tensor<8x4xf32>
  train.function predict @predict {
    // expected-error@+1 {{'train.read' op expects the type of @w, 'tensor<4x8xf32>', got 'tensor<8x4xf32>'}}
    %0 = train.read @w : tensor<8x4xf32>
  }
}

// -----

train.program @p {
  train.input @x : tensor<4xf32>
  train.function predict @predict {
    %0 = train.read @x : tensor<4xf32>
    // expected-error@+1 {{'train.write' op expects @x to be a state or an output, got train.input}}
    train.write %0, @x : tensor<4xf32>
  }
}

// -----

train.program @p {
  train.state constant @c : tensor<4xf32>
  train.function predict @predict {
    %0 = train.read @c : tensor<4xf32>
    // expected-error@+1 {{'train.write' op writes the constant @c}}
    train.write %0, @c : tensor<4xf32>
  }
}

// -----

train.program @p {
  train.state buffer @b : tensor<4xf32>
  train.function train_step @train_step {
    %0 = train.read @b : tensor<4xf32>
    // expected-error@+1 {{'train.gradient' op expects @b to be a train.state parameter}}
    %1 = train.gradient %0, @b : tensor<4xf32>
  }
}

// -----

train.program @p {
  train.state parameter @w : tensor<4xf32>
  train.function train_step @train_step {
    %0 = nn.constant dense<0.0> : tensor<5xf32>
    // expected-error@+1 {{'train.gradient' op expects the type of @w, 'tensor<4xf32>', got 'tensor<5xf32>'}}
    %1 = train.gradient %0, @w : tensor<5xf32>
  }
}

// -----

train.program @p {
  train.state buffer @mean : tensor<8xf32>
  train.state buffer @var : tensor<4xf32>
  train.function forward @forward {
    %x = nn.constant dense<0.0> : tensor<2x8xf32>
    %s = nn.constant dense<0.0> : tensor<8xf32>
    // expected-error@+1 {{'train.batch_norm' op expects the type of @var, 'tensor<4xf32>', got 'tensor<8xf32>'}}
    %y = train.batch_norm %x, %s, %s running @mean, @var momentum 0.9 epsilon 1.0e-5 : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}

// -----

train.program @p {
  train.state buffer @mean : tensor<8xf32>
  train.function forward @forward {
    %x = nn.constant dense<0.0> : tensor<2x8xf32>
    %s = nn.constant dense<0.0> : tensor<4xf32>
    // expected-error@+1 {{'train.batch_norm' op expects scale and bias of type 'tensor<8xf32>', got 'tensor<4xf32>'}}
    %y = train.batch_norm %x, %s, %s running @mean, @mean momentum 0.9 epsilon 1.0e-5 : tensor<2x8xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

train.program @p {
  train.state buffer @mean : tensor<8xf32>
  train.function forward @forward {
    %x = nn.constant dense<0.0> : tensor<8xf32>
    // expected-error@+1 {{'train.batch_norm' op expects x of rank 2 or more, got 'tensor<8xf32>'}}
    %y = train.batch_norm %x, %x, %x running @mean, @mean momentum 0.9 epsilon 1.0e-5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}

// -----

func.func @loss(%a: tensor<4xf32>) {
  // expected-error@+1 {{'train.loss' op expects one floating-point number each, got 'tensor<4xf32>'}}
  train.loss %a, %a : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @dim_size() {
  // expected-error@+1 {{'train.dim_size' op expects a name or a product such as "32*batch", got "batch*32"}}
  %0 = train.dim_size "batch*32" : index
  return
}

// -----

train.program @p {
  train.state buffer @mean : tensor<8xf32>
  train.function forward @forward {
    %x = nn.constant dense<0.0> : tensor<2x8xf32>
    %s = nn.constant dense<0.0> : tensor<8xf32>
    // expected-error@+1 {{'train.batch_norm' op expects a finite epsilon that is not negative, got -1.000000e+00 : f64}}
    %y = train.batch_norm %x, %s, %s running @mean, @mean momentum 0.9 epsilon -1.0 : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}

// -----

train.program @p {
  train.state buffer @mean : tensor<8xf32>
  train.function forward @forward {
    %x = nn.constant dense<0.0> : tensor<2x8xf32>
    %s = nn.constant dense<0.0> : tensor<8xf32>
    // expected-error@+1 {{'train.batch_norm' op expects a finite momentum, got 0x7FF0000000000000 : f64}}
    %y = train.batch_norm %x, %s, %s running @mean, @mean momentum 0x7FF0000000000000 epsilon 1.0e-5 : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
