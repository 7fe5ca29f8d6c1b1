// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @inner_dims(%a: tensor<64x784xf32>, %b: tensor<256x784xf32>) {
  // nn.matmul C3
  // expected-error@+1 {{'nn.matmul' op expects equal inner dims, got 784 of a and 256 of b}}
  %0 = nn.matmul %a, %b : tensor<64x784xf32>, tensor<256x784xf32>
  return
}

// -----

func.func @rank(%a: tensor<64xf32>, %b: tensor<64x8xf32>) {
  // nn.matmul C2
  // expected-error@+1 {{'nn.matmul' op expects operands of rank 2 or more, got ranks 1 and 2}}
  %0 = nn.matmul %a, %b : tensor<64xf32>, tensor<64x8xf32>
  return
}

// -----

func.func @dtype(%a: tensor<4x4xf32>, %b: tensor<4x4xbf16>) {
  // nn.matmul C1
  // expected-error@+1 {{'nn.matmul' op expects operands of one dtype, got 'f32' and 'bf16'}}
  %0 = nn.matmul %a, %b : tensor<4x4xf32>, tensor<4x4xbf16>
  return
}

// -----

func.func @leading(%a: tensor<2x4x4xf32>, %b: tensor<3x4x4xf32>) {
  // nn.matmul C4
  // expected-error@+1 {{'nn.matmul' op expects leading dims that broadcast, got [2] and [3]}}
  %0 = nn.matmul %a, %b : tensor<2x4x4xf32>, tensor<3x4x4xf32>
  return
}

// -----

func.func @wide(%a: tensor<4x4xf64>) {
  // nn.matmul C5
  // expected-error@+1 {{'nn.matmul' op expects operands of fewer bits than 'f32' for wide sums, got 'f64'}}
  %0 = nn.matmul %a, %a wide : tensor<4x4xf64>, tensor<4x4xf64>
  return
}

// -----

func.func @constant() {
  // nn C1
  // expected-error@+1 {{'nn.constant' op result #0 must be}}
  %0 = nn.constant dense<1.0> : tensor<2xtf32>
  return
}
