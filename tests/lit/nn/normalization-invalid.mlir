// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @softmax_axis(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{'nn.softmax' op expects an axis in [0, 2), got 2}}
  %0 = nn.softmax %x axis 2 : tensor<4x4xf32>
  return
}

// -----

func.func @softmax_of_nothing(%x: tensor<2x0x4xf32>) {
  // expected-error@+1 {{'nn.softmax' op expects at least one element along axis 1, got shape [2, 0, 4]}}
  %0 = nn.softmax %x axis 1 : tensor<2x0x4xf32>
  return
}

// -----

func.func @scale(%x: tensor<4x8xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'nn.layer_norm' op expects scale of shape [8], got [4]}}
  %0:3 = nn.layer_norm %x, %s, %b axis 1 epsilon 1.0e-5 : tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>
  return
}

// -----

func.func @bias(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'nn.layer_norm' op expects bias of shape [8], got []}}
  %0:3 = nn.layer_norm %x, %s, %b axis 1 epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @epsilon(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error@+1 {{'nn.layer_norm' op expects a finite epsilon that is not negative, got -1.000000}}
  %0:3 = nn.layer_norm %x, %s, %s axis 1 epsilon -1.0 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @rank(%x: tensor<8xf32>) {
  // expected-error@+1 {{'nn.batch_norm' op expects x of rank 2 or more, got rank 1}}
  %0:3 = nn.batch_norm %x, %x, %x epsilon 1.0e-5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @variance(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %v: tensor<4xf32>) {
  // expected-error@+1 {{'nn.batch_norm_inference' op expects variance of shape [8], got [4]}}
  %0 = nn.batch_norm_inference %x, %s, %s, %s, %v epsilon 1.0e-5
      : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>
  return
}
