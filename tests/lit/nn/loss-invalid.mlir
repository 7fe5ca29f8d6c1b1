// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @target_shape(%x: tensor<4x1xf32>, %t: tensor<4xf32>) {
  // nn.mse_loss C2
  // expected-error@+1 {{'nn.mse_loss' op expects target of shape [4, 1], got [4]}}
  %0:2 = nn.mse_loss mean %x, %t : tensor<4x1xf32>, tensor<4xf32>
  return
}

// -----

func.func @target_dtype(%x: tensor<4xf32>, %t: tensor<4xf64>) {
  // nn.bce_loss C1
  // expected-error@+1 {{'nn.bce_loss' op expects operands of one dtype, got 'f32' and 'f64'}}
  %0:2 = nn.bce_loss mean %x, %t : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

func.func @absolute_target(%x: tensor<4xf32>, %t: tensor<1xf32>) {
  // Nothing broadcasts.
  // nn.l1_loss C2
  // expected-error@+1 {{'nn.l1_loss' op expects target of shape [4], got [1]}}
  %0:2 = nn.l1_loss mean %x, %t : tensor<4xf32>, tensor<1xf32>
  return
}

// -----

func.func @logits_target(%x: tensor<4xf32>, %t: tensor<4xbf16>) {
  // nn.bce_with_logits_loss C1
  // expected-error@+1 {{'nn.bce_with_logits_loss' op expects operands of one dtype, got 'f32' and 'bf16'}}
  %0:2 = nn.bce_with_logits_loss mean %x, %t : tensor<4xf32>, tensor<4xbf16>
  return
}

// -----

func.func @delta(%x: tensor<4xf32>) {
  // nn.huber_loss C3
  // expected-error@+1 {{'nn.huber_loss' op expects a delta above 0, got 0.000000}}
  %0:2 = nn.huber_loss mean %x, %x {delta = 0.0 : f64} : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @rank(%x: tensor<4xf32>, %labels: tensor<i64>) {
  // nn.nll_loss C1
  // expected-error@+1 {{'nn.nll_loss' op expects x of rank 2 or more (rows, classes), got rank 1}}
  %0:2 = nn.nll_loss mean %x, %labels ignore_index -100 : tensor<4xf32>, tensor<i64>
  return
}

// -----

func.func @labels(%x: tensor<4x10xf32>, %labels: tensor<5xi64>) {
  // nn.softmax_cross_entropy C4
  // expected-error@+1 {{'nn.softmax_cross_entropy' op expects labels of shape [4], got [5]}}
  %0:2 = nn.softmax_cross_entropy mean %x, %labels ignore_index -100 : tensor<4x10xf32>, tensor<5xi64>
  return
}

// -----

func.func @class_weights(%x: tensor<4x10xf32>, %labels: tensor<4xi64>, %w: tensor<4xf32>) {
  // nn.softmax_cross_entropy C5
  // expected-error@+1 {{'nn.softmax_cross_entropy' op expects class weights of shape [10], got [4]}}
  %0:2 = nn.softmax_cross_entropy mean %x, %labels weights %w ignore_index -100 : tensor<4x10xf32>, tensor<4xi64>, tensor<4xf32>
  return
}

// -----

func.func @class_weights_dtype(%x: tensor<4x10xf32>, %labels: tensor<4xi64>, %w: tensor<10xf64>) {
  // nn.nll_loss C6
  // expected-error@+1 {{'nn.nll_loss' op expects operands of one dtype, got 'f32' and 'f64'}}
  %0:2 = nn.nll_loss mean %x, %labels weights %w ignore_index -100 : tensor<4x10xf32>, tensor<4xi64>, tensor<10xf64>
  return
}

// -----

func.func @smoothing(%x: tensor<4x10xf32>, %labels: tensor<4xi64>) {
  // nn.softmax_cross_entropy C8
  // expected-error@+1 {{'nn.softmax_cross_entropy' op expects label_smoothing in [0, 1], got 2.000000}}
  %0:2 = nn.softmax_cross_entropy mean %x, %labels ignore_index -100 {label_smoothing = 2.0 : f64} : tensor<4x10xf32>, tensor<4xi64>
  return
}

// -----

func.func @named_classes(%x: tensor<4x?xf32, #nn.dims<_, classes>>, %labels: tensor<4xi64>) {
  // nn.nll_loss C2
  // expected-error@+1 {{'nn.nll_loss' op expects a static number of classes, got classes}}
  %0:2 = nn.nll_loss mean %x, %labels ignore_index -100 : tensor<4x?xf32, #nn.dims<_, classes>>, tensor<4xi64>
  return
}

// -----

func.func @no_classes(%x: tensor<4x0xf32>, %labels: tensor<4xi64>) {
  // nn.softmax_cross_entropy C3
  // expected-error@+1 {{'nn.softmax_cross_entropy' op expects at least one element along axis 1, got shape [4, 0]}}
  %0:2 = nn.softmax_cross_entropy mean %x, %labels ignore_index -100 : tensor<4x0xf32>, tensor<4xi64>
  return
}

// -----

func.func @ignored(%x: tensor<2x3xf32>, %l: tensor<2xi32>) {
  // It would be -1 as a label.
  // nn.nll_loss C7
  // expected-error@+1 {{'nn.nll_loss' op expects an ignore_index that labels of 32 bits can be, got 9223372036854775807}}
  %y, %w = nn.nll_loss mean %x, %l ignore_index 9223372036854775807 : tensor<2x3xf32>, tensor<2xi32>
  return
}

// -----

func.func @ignored_in_softmax(%x: tensor<2x3xf32>, %l: tensor<2xi32>) {
  // nn.softmax_cross_entropy C7
  // expected-error@+1 {{'nn.softmax_cross_entropy' op expects an ignore_index that labels of 32 bits can be, got -4294967297}}
  %y, %w = nn.softmax_cross_entropy mean %x, %l ignore_index -4294967297 : tensor<2x3xf32>, tensor<2xi32>
  return
}
