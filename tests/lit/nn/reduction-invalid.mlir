// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @range(%x: tensor<4x4xf32>) {
  // nn.sum C1
  // expected-error@+1 {{'nn.sum' op expects an axis in [0, 2), got 2}}
  %0 = nn.sum %x axes [2] : tensor<4x4xf32>
  return
}

// -----

func.func @order(%x: tensor<4x4xf32>) {
  // nn.mean C2
  // expected-error@+1 {{'nn.mean' op expects distinct axes in increasing order, got 0 after 1}}
  %0 = nn.mean %x axes [1, 0] : tensor<4x4xf32>
  return
}

// -----

func.func @twice(%x: tensor<4x4xf32>) {
  // nn.prod C2
  // expected-error@+1 {{'nn.prod' op expects distinct axes in increasing order, got 1 after 1}}
  %0 = nn.prod %x axes [1, 1] : tensor<4x4xf32>
  return
}

// -----

func.func @empty(%x: tensor<4x0xf32>) {
  // nn.reduce_max C3
  // expected-error@+1 {{'nn.reduce_max' op expects at least one element along axis 1, got shape [4, 0]}}
  %0 = nn.reduce_max %x axes [1] : tensor<4x0xf32>
  return
}

// -----

func.func @smallest_of_nothing(%x: tensor<0x4xf32>) {
  // nn.reduce_min C3
  // expected-error@+1 {{'nn.reduce_min' op expects at least one element along axis 0, got shape [0, 4]}}
  %0 = nn.reduce_min %x axes [0, 1] : tensor<0x4xf32>
  return
}

// -----

func.func @position_of_nothing(%x: tensor<0xf32>) {
  // nn.argmin C2
  // expected-error@+1 {{'nn.argmin' op expects at least one element along axis 0, got shape [0]}}
  %0 = nn.argmin %x axis 0 : tensor<0xf32>
  return
}

// -----

func.func @position_axis(%x: tensor<4xf32>) {
  // nn.argmax C1
  // expected-error@+1 {{'nn.argmax' op expects an axis in [0, 1), got -1}}
  %0 = nn.argmax %x axis -1 : tensor<4xf32>
  return
}
