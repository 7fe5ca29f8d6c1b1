// Rows at computed places come from a tensor that is finished: its kernel is another one, although the sum reads it
// row by row as well.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s

// CHECK: train.function predict @predict {
// CHECK: %[[Z:.*]] = train.launch @tanh(
// CHECK: %[[ROWS:.*]] = tensor.expand_shape %[[Z]]
// CHECK: train.launch @gather_add({{.*}}%[[ROWS]]
train.program @p {
  train.input @x : tensor<8x4xf32>
  train.input @i : tensor<8xi64>
  train.output prediction @y : tensor<8x4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x4xf32>
    %i = train.read @i : tensor<8xi64>
    %z = nn.tanh %x : tensor<8x4xf32>
    %g = nn.gather %z, %i axis 0 : tensor<8x4xf32>, tensor<8xi64>
    %y = nn.add %g, %z : tensor<8x4xf32>, tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}
