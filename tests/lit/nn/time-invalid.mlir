// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @axis(%x: tensor<4x6xf32>, %lengths: tensor<6xi64>) {
  // nn.reverse_sequence C1
  // expected-error@+1 {{'nn.reverse_sequence' op expects an axis in [0, 2), got 2}}
  %0 = nn.reverse_sequence %x, %lengths time 2 batch 1 : tensor<4x6xf32>, tensor<6xi64>
  return
}

// -----

func.func @same_axis(%x: tensor<4x6xf32>, %lengths: tensor<6xi64>) {
  // nn.reverse_sequence C2
  // expected-error@+1 {{'nn.reverse_sequence' op expects two axes, got axis 1 for time and batch}}
  %0 = nn.reverse_sequence %x, %lengths time 1 batch 1 : tensor<4x6xf32>, tensor<6xi64>
  return
}

// -----

func.func @lengths(%x: tensor<4x6xf32>, %lengths: tensor<4xi64>) {
  // nn.reverse_sequence C3
  // expected-error@+1 {{'nn.reverse_sequence' op expects lengths of shape [6], got [4]}}
  %0 = nn.reverse_sequence %x, %lengths time 0 batch 1 : tensor<4x6xf32>, tensor<4xi64>
  return
}
