// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @softmax_axis(%x: tensor<4x4xf32>) {
  // nn.softmax C1
  // expected-error@+1 {{'nn.softmax' op expects an axis in [0, 2), got 2}}
  %0 = nn.softmax %x axis 2 : tensor<4x4xf32>
  return
}

// -----

func.func @log_softmax_axis(%x: tensor<f32>) {
  // nn.log_softmax C1
  // expected-error@+1 {{'nn.log_softmax' op expects an axis in [0, 0), got 0}}
  %0 = nn.log_softmax %x axis 0 : tensor<f32>
  return
}

// -----

func.func @softmax_of_nothing(%x: tensor<2x0x4xf32>) {
  // nn.softmax C2
  // expected-error@+1 {{'nn.softmax' op expects at least one element along axis 1, got shape [2, 0, 4]}}
  %0 = nn.softmax %x axis 1 : tensor<2x0x4xf32>
  return
}

// -----

func.func @layer_axis(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) {
  // nn.layer_norm C1
  // expected-error@+1 {{'nn.layer_norm' op expects an axis in [0, 2), got -1}}
  %0:3 = nn.layer_norm %x, %s, %b axis -1 epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @scale(%x: tensor<4x8xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>) {
  // nn.layer_norm C3
  // expected-error@+1 {{'nn.layer_norm' op expects scale of shape [8], got [4]}}
  %0:3 = nn.layer_norm %x, %s, %b axis 1 epsilon 1.0e-5 : tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>
  return
}

// -----

func.func @bias(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %b: tensor<f32>) {
  // nn.layer_norm C4
  // expected-error@+1 {{'nn.layer_norm' op expects bias of shape [8], got []}}
  %0:3 = nn.layer_norm %x, %s, %b axis 1 epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @epsilon(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // nn.layer_norm C2
  // expected-error@+1 {{'nn.layer_norm' op expects a finite epsilon that is not negative, got -1.000000}}
  %0:3 = nn.layer_norm %x, %s, %s axis 1 epsilon -1.0 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @scale_dtype(%x: tensor<4x8xf32>, %s: tensor<8xf64>, %b: tensor<8xf32>) {
  // nn.layer_norm C5
  // expected-error@+1 {{'nn.layer_norm' op expects operands of one dtype, got 'f32' and 'f64'}}
  %0:3 = nn.layer_norm %x, %s, %b axis 1 epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf64>, tensor<8xf32>
  return
}

// -----

func.func @bias_dtype(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf64>) {
  // nn.layer_norm C5
  // expected-error@+1 {{'nn.layer_norm' op expects operands of one dtype, got 'f32' and 'f64'}}
  %0:3 = nn.layer_norm %x, %s, %b axis 1 epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf64>
  return
}

// -----

func.func @rank(%x: tensor<8xf32>) {
  // nn.batch_norm C1
  // expected-error@+1 {{'nn.batch_norm' op expects x of rank 2 or more, got rank 1}}
  %0:3 = nn.batch_norm %x, %x, %x epsilon 1.0e-5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @infinite_epsilon(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // nn.batch_norm C2
  // expected-error@+1 {{'nn.batch_norm' op expects a finite epsilon that is not negative, got inf}}
  %0:3 = nn.batch_norm %x, %s, %s epsilon 0x7FF0000000000000 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @batch_bias(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %b: tensor<1x8xf32>) {
  // nn.batch_norm C3
  // expected-error@+1 {{'nn.batch_norm' op expects bias of shape [8], got [1, 8]}}
  %0:3 = nn.batch_norm %x, %s, %b epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<1x8xf32>
  return
}

// -----

func.func @batch_scale_dtype(%x: tensor<4x8xbf16>, %s: tensor<8xf32>) {
  // nn.batch_norm C4
  // expected-error@+1 {{'nn.batch_norm' op expects operands of one dtype, got 'bf16' and 'f32'}}
  %0:3 = nn.batch_norm %x, %s, %s epsilon 1.0e-5 : tensor<4x8xbf16>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @variance(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %v: tensor<4xf32>) {
  // nn.batch_norm_inference C3
  // expected-error@+1 {{'nn.batch_norm_inference' op expects variance of shape [8], got [4]}}
  %0 = nn.batch_norm_inference %x, %s, %s, %s, %v epsilon 1.0e-5
      : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>
  return
}
