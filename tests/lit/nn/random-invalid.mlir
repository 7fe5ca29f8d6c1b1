// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @ratio(%x: tensor<4xf32>, %rng: tensor<2xi64>) {
  // nn.dropout C1
  // expected-error@+1 {{'nn.dropout' op expects a ratio in [0, 1), got 1.000000}}
  %0 = nn.dropout %x, %rng ratio 1.0 stream 0 : tensor<4xf32>, tensor<2xi64>
  return
}

// -----

func.func @stream(%x: tensor<4xf32>, %rng: tensor<2xi64>) {
  // nn.dropout C2
  // expected-error@+1 {{'nn.dropout' op expects a stream in [0, 2^32), got 4294967296}}
  %0 = nn.dropout %x, %rng ratio 0.5 stream 4294967296 : tensor<4xf32>, tensor<2xi64>
  return
}

// -----

func.func @negative_stream(%x: tensor<4xf32>, %rng: tensor<2xi64>) {
  // nn.dropout C2
  // expected-error@+1 {{'nn.dropout' op expects a stream in [0, 2^32), got -1}}
  %0 = nn.dropout %x, %rng ratio 0.5 stream -1 : tensor<4xf32>, tensor<2xi64>
  return
}

// -----

func.func @rng(%x: tensor<4xf32>, %rng: tensor<4xi64>) {
  // nn.dropout C3
  // expected-error@+1 {{'nn.dropout' op expects rng of shape [2], got [4]}}
  %0 = nn.dropout %x, %rng ratio 0.5 stream 0 : tensor<4xf32>, tensor<4xi64>
  return
}

// -----

func.func @uniform_stream(%rng: tensor<2xi64>) {
  // The next stream is used, too.
  // nn.random_uniform C1
  // expected-error@+1 {{'nn.random_uniform' op expects a stream in [0, 2^32 - 1), got 4294967295}}
  %0 = nn.random_uniform %rng stream 4294967295 : tensor<2xi64> -> tensor<4xf32>
  return
}

// -----

func.func @uniform_rng(%rng: tensor<1xi64>) {
  // nn.random_uniform C2
  // expected-error@+1 {{'nn.random_uniform' op expects rng of shape [2], got [1]}}
  %0 = nn.random_uniform %rng stream 0 : tensor<1xi64> -> tensor<4xf32>
  return
}
