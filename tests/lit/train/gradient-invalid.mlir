// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @no_value(%x: tensor<2xf32>) {
  // expected-error@+1 {{'train.custom_gradient' op expects values and inputs of floating-point numbers, and at least one value}}
  train.custom_gradient of (%x : tensor<2xf32>) {
    %c = nn.constant dense<0.0> : tensor<2xf32>
    train.yield %c : tensor<2xf32>
  }
  return
}

// -----

func.func @integers(%x: tensor<2xi64>) {
  // expected-error@+1 {{expects values and inputs of floating-point numbers}}
  %y = train.custom_gradient (%x : tensor<2xi64>) {
  ^bb0(%d: tensor<2xi64>, %r: tensor<2xi64>):
    train.yield
  }
  return
}

// -----

func.func @arguments(%x: tensor<2xf32>, %k: tensor<3xf32>) {
  // expected-error@+1 {{expects as arguments of the body the gradients of the results, the results and what is kept, of their types}}
  %y = train.custom_gradient (%x : tensor<2xf32>) of (%x : tensor<2xf32>) keeping (%k : tensor<3xf32>) {
  ^bb0(%d: tensor<2xf32>, %r: tensor<2xf32>):
    train.yield %d : tensor<2xf32>
  }
  return
}

// -----

func.func @shape(%x: tensor<2xf32>, %k: tensor<3xf32>) {
  // expected-error@+1 {{expects a body that ends in train.yield of a gradient for each input, of its type}}
  %y = train.custom_gradient (%x : tensor<2xf32>) of (%x : tensor<2xf32>) keeping (%k : tensor<3xf32>) {
  ^bb0(%d: tensor<2xf32>, %r: tensor<2xf32>, %b: tensor<3xf32>):
    train.yield %b : tensor<3xf32>
  }
  return
}

// -----

func.func @other_operations(%x: tensor<2xf32>) {
  %y = train.custom_gradient (%x : tensor<2xf32>) of (%x : tensor<2xf32>) {
  ^bb0(%d: tensor<2xf32>, %r: tensor<2xf32>):
    // expected-error@+1 {{'train.dim_size' op is not expected in the body of train.custom_gradient: operations of tensors without random numbers are}}
    %n = train.dim_size "batch" : index
    train.yield %d : tensor<2xf32>
  }
  return
}

// -----

func.func @random(%x: tensor<2xf32>, %rng: tensor<2xi64>) {
  %y = train.custom_gradient (%x : tensor<2xf32>) of (%x : tensor<2xf32>) keeping (%rng : tensor<2xi64>) {
  ^bb0(%d: tensor<2xf32>, %r: tensor<2xf32>, %s: tensor<2xi64>):
    // expected-error@+1 {{'nn.dropout' op is not expected in the body of train.custom_gradient: operations of tensors without random numbers are}}
    %n = nn.dropout %d, %s ratio 0.5 stream 0 : tensor<2xf32>, tensor<2xi64>
    train.yield %n : tensor<2xf32>
  }
  return
}

// -----

func.func @condition_of_many(%c: tensor<2xi1>) {
  // expected-error@+1 {{operand #0 must be 0D tensor of 1-bit signless integer values, but got 'tensor<2xi1>'}}
  train.update_if %c : tensor<2xi1>
  return
}
