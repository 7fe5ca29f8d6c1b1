// RUN: dlc-opt %s -split-input-file -verify-diagnostics

train.program @p {
  // expected-error@+1 {{'train.kernel' op expects ranked tensors as arguments, got 'f32' as argument 0}}
  train.kernel @k {
  ^bb0(%x: f32):
    train.yield
  }
}

// -----

train.program @p {
  // expected-error@+1 {{'train.kernel' op expects arg_dims of 2 entries, one per argument and result, got 1}}
  train.kernel @k attributes {arg_dims = [unit]} {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
}

// -----

train.program @p {
  // expected-error@+1 {{'train.kernel' op expects #nn.dims or unit in arg_dims, got "batch"}}
  train.kernel @k attributes {arg_dims = ["batch"]} {
  ^bb0(%x: tensor<4xf32>):
    train.yield
  }
}

// -----

train.program @p {
  // expected-error@+1 {{'train.kernel' op expects arg_dims to name the dims of 'tensor<?xf32>', got unit}}
  train.kernel @k {
  ^bb0(%x: tensor<?xf32>):
    train.yield %x : tensor<?xf32>
  }
}

// -----

train.program @p {
  // expected-error@+1 {{'train.kernel' op expects a body that ends in train.yield}}
  train.kernel @k {
    ^bb0(%x: tensor<4xf32>):
      llvm.unreachable
  }
}

// -----

train.program @p {
  train.function predict @predict {
    // expected-error@+1 {{'train.launch' op expects @k to be a train.kernel}}
    train.launch @k() : () -> ()
  }
}

// -----

train.program @p {
  train.kernel @k {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
  train.function predict @predict {
    // expected-error@+1 {{'train.launch' op expects 1 inputs as @k has, got 0}}
    train.launch @k() : () -> ()
  }
}

// -----

train.program @p {
  train.kernel @k {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
  train.function predict @predict {
    %0 = nn.constant dense<0.0> : tensor<5xf32>
    // expected-error@+1 {{'train.launch' op expects inputs 0 to fit 'tensor<4xf32>' of @k, got 'tensor<5xf32>'}}
    %1 = train.launch @k(%0) : (tensor<5xf32>) -> tensor<4xf32>
  }
}

// -----

train.program @p {
  train.kernel @k {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
  train.function predict @predict {
    %0 = train.place at 0 : memref<4xf32>
    %1 = train.place at 64 : memref<8xf32>
    // expected-error@+1 {{'train.launch' op expects destinations 0 to fit 'tensor<4xf32>' of @k, got 'memref<8xf32>'}}
    train.launch @k(%0) into (%1) : (memref<4xf32>, memref<8xf32>) -> ()
  }
}

// -----

train.program @p {
  train.kernel @k {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
  train.function predict @predict {
    %0 = train.place at 0 : memref<4xf32>
    // expected-error@+1 {{'train.launch' op expects destinations or results, not both}}
    %1 = train.launch @k(%0) into (%0) : (memref<4xf32>, memref<4xf32>) -> tensor<4xf32>
  }
}

// -----

func.func @f() {
  // expected-error@+1 {{'train.place' op expects a symbol (of) or an offset (at)}}
  %0 = train.place : memref<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'train.place' op expects an offset that is not negative, got -1}}
  %0 = train.place at -1 : memref<4xf32>
  return
}

// -----

train.program @p {
  train.dim @batch = 4
  train.function predict @predict {
    // expected-error@+1 {{'train.place' op expects @batch to be a state, an input or an output, got train.dim}}
    %0 = train.place of @batch : memref<4xf32>
  }
}

// -----

func.func @f(%a: memref<4xf32>, %b: memref<5xf32>) {
  // expected-error@+1 {{'train.copy' op expects equal shapes and element types, got 'memref<4xf32>' and 'memref<5xf32>'}}
  train.copy %a to %b : memref<4xf32> to memref<5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %y: tensor<3x5xf32>) {
  // expected-error@+1 {{'train.join' op expects part 1 to have type 'tensor<3x4xf32>', got 'tensor<3x5xf32>'}}
  %0 = train.join %x, %y axis 0 : (tensor<2x4xf32>, tensor<3x5xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'train.join' op expects parts of 4 elements along axis 0, got 3}}
  %0 = train.join %x, %y axis 0 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

train.program @p {
  // expected-error@+1 {{'train.kernel' op expects unit or a size for each dim of 'tensor<2x4xf32>' in arg_strides, got ["8"]}}
  train.kernel @k attributes {arg_strides = [["8"], unit]} {
  ^bb0(%x: tensor<2x4xf32>):
    train.yield %x : tensor<2x4xf32>
  }
}

// -----

train.program @p {
  train.kernel @k attributes {arg_strides = [["8", "1"], unit]} {
  ^bb0(%x: tensor<2x4xf32>):
    train.yield %x : tensor<2x4xf32>
  }
  train.function predict @predict {
    %x = train.place at 0 : memref<2x4xf32>
    %y = train.place at 64 : memref<2x4xf32>
    // expected-error@+1 {{'train.launch' op expects inputs 0 to fit 'tensor<2x4xf32>' of @k, got 'memref<2x4xf32>'}}
    train.launch @k(%x) into (%y) : (memref<2x4xf32>, memref<2x4xf32>) -> ()
  }
}

// -----

train.program @p {
  // expected-error@+1 {{'train.kernel' op uses dim 'seq', which the program does not declare (train.dim)}}
  train.kernel @k attributes {arg_strides = [["4*seq", "1"], unit]} {
  ^bb0(%x: tensor<2x4xf32>):
    train.yield %x : tensor<2x4xf32>
  }
}
