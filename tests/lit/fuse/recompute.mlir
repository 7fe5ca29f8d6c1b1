// Positions and comparisons of inputs are computed where they are read, however many read them; an
// exponential that two read is stored for the row.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s

// CHECK: train.kernel @[[K:.*]] attributes {shared = 1 : i64}
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
// CHECK-LABEL: train.function predict
// CHECK: train.launch @[[K]]
// CHECK-NOT: train.launch
train.program @p {
  train.input @x : tensor<8x16xf32>
  train.input @labels : tensor<8xi64>
  train.output prediction @y : tensor<8x16xf32>
  train.output prediction @s : tensor<8xf32>
  train.function predict @predict {
    %zero = nn.constant dense<0.0> : tensor<f32>
    %x = train.read @x : tensor<8x16xf32>
    %labels = train.read @labels : tensor<8xi64>
    %rows = nn.reshape %labels : tensor<8xi64> -> tensor<8x1xi64>
    %i = nn.iota axis 0 : tensor<16xi64>
    %is = nn.compare eq %rows, %i : tensor<8x1xi64>, tensor<16xi64>
    %e = nn.exp %x : tensor<8x16xf32>
    %picked = nn.select %is, %e, %zero : tensor<8x16xi1>, tensor<8x16xf32>, tensor<f32>
    %s = nn.sum %picked axes [1] : tensor<8x16xf32>
    %column = nn.reshape %s : tensor<8xf32> -> tensor<8x1xf32>
    %d = nn.div %e, %column : tensor<8x16xf32>, tensor<8x1xf32>
    %y = nn.select %is, %d, %zero : tensor<8x16xi1>, tensor<8x16xf32>, tensor<f32>
    train.write %y, @y : tensor<8x16xf32>
    train.write %s, @s : tensor<8xf32>
  }
}
