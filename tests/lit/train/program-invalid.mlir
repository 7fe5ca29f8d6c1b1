// RUN: dlc-opt %s -split-input-file -verify-diagnostics

train.program @p {
  // expected-error@+1 {{'nn.iota' op is not expected in a train.program: declarations, functions and kernels are}}
  %0 = nn.iota axis 0 : tensor<4xi64>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.input' op uses dim 'batch', which the program does not declare (train.dim)}}
  train.input @x : tensor<?xf32, #nn.dims<batch>>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.dim' op expects a bound above 0, got 0}}
  train.dim @batch = 0
}

// -----

train.program @p {
  // expected-error@+1 {{'train.dim' op expects a least size from 1 to the bound 4, got 5}}
  train.dim open @batch = 4 least 5
}

// -----

train.program @p {
  // expected-error@+1 {{'train.dim' op expects a name of letters, digits and _, got 'batch size'}}
  train.dim @"batch size" = 4
}

// -----

// expected-error@+1 {{'train.dim' op expects parent op 'train.program'}}
train.dim @batch = 4

// -----

train.program @p {
  // expected-error@+1 {{'train.state' op expects a static shape, got 'tensor<?xf32>'}}
  train.state buffer @b : tensor<?xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.state' op expects another name than '__metadata__', which safetensors files keep for themselves}}
  train.state parameter @__metadata__ : tensor<4xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.state' op expects type 'tensor<f64>' for kind hyperparameter, got 'tensor<f32>'}}
  train.state hyperparameter @lr : tensor<f32>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.state' op expects type 'tensor<2xi64>' for kind rng, got 'tensor<i64>'}}
  train.state rng @rng : tensor<i64>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.state' op expects type 'tensor<i64>' for kind step_count, got 'tensor<i32>'}}
  train.state step_count @step : tensor<i32>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.state' op expects initial values of type 'tensor<4xf32>', got 'tensor<2xf32>'}}
  "train.state"() {kind = #train<state_kind parameter>, sym_name = "w", type = tensor<4xf32>, initial = dense<0.0> : tensor<2xf32>} : () -> ()
}

// -----

train.program @p {
  // expected-error@+1 {{'train.state' op expects an owner (of @parameter) for kind gradient}}
  train.state gradient @g : tensor<4xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.state' op expects no owner for kind buffer}}
  train.state buffer @g of @w : tensor<4xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.state' op names @w, which the program does not declare}}
  train.state gradient @g of @w : tensor<4xf32>
}

// -----

train.program @p {
  train.state buffer @w : tensor<4xf32>
  // expected-error@+1 {{'train.state' op expects @w to be a train.state parameter}}
  train.state gradient @g of @w : tensor<4xf32>
}

// -----

train.program @p {
  train.state parameter @w : tensor<5xf32>
  // expected-error@+1 {{'train.state' op expects the type of @w, 'tensor<5xf32>', got 'tensor<4xf32>'}}
  train.state gradient @g of @w : tensor<4xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.state' op expects 'frozen' on parameters only, got kind buffer}}
  train.state buffer @b frozen : tensor<4xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.state' op expects a layout of 'tensor<8x9xf32>', got #train.layout<[0, 1, 2], shape = [8, 3, 4]>}}
  train.state parameter @w layout <[0, 1, 2], shape = [8, 3, 4]> : tensor<8x9xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.state' op expects a layout of 'tensor<4x4xf32>', got #train.layout<[0, 0]>}}
  train.state parameter @w layout <[0, 0]> : tensor<4x4xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.state' op expects an offset that is not negative, got -64}}
  train.state parameter @w at -64 : tensor<4x4xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.input' op expects integers where there is a range, got 'f32'}}
  train.input @x range [0, 10) : tensor<4xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.input' op expects a range where a value is ignored}}
  train.input @x ignore -100 : tensor<4xi64>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.input' op expects a range that is not empty, got [4, 4)}}
  train.input @x range [4, 4) : tensor<4xi64>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.input' op expects both ends of a range}}
  "train.input"() {sym_name = "x", type = tensor<4xi64>, low = 0 : i64} : () -> ()
}

// -----

train.program @p {
  // expected-error@+1 {{'train.output' op expects a loss of type tensor<f32>, whatever the model computes with, got 'tensor<f64>'}}
  train.output loss @loss : tensor<f64>
}

// -----

train.program @p {
  // expected-error@+1 {{'train.output' op expects a loss of type tensor<f32>, whatever the model computes with, got 'tensor<1xf32>'}}
  train.output loss @loss : tensor<1xf32>
}
