// The new value of a state is made after the last reader of the old one, though it could come first.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s

// CHECK-LABEL: train.function train_step
// CHECK: %[[W:.*]] = train.read @w
// CHECK: %[[ROW:.*]] = tensor.collapse_shape %[[W]]
// CHECK: train.launch @exp(%[[ROW]])
// CHECK: train.launch @add(%[[ROW]],
train.program @p {
  train.state parameter @w : tensor<8x4xf32>
  train.input @g : tensor<8x4xf32>
  train.input @x : tensor<3x4xf32>
  train.output prediction @y : tensor<8x3xf32>
  train.function train_step @train_step {
    %w = train.read @w : tensor<8x4xf32>
    %g = train.read @g : tensor<8x4xf32>
    %x = train.read @x : tensor<3x4xf32>
    %w1 = nn.add %w, %g : tensor<8x4xf32>, tensor<8x4xf32>
    %e = nn.exp %w : tensor<8x4xf32>
    %y = nn.matmul %e, %x transpose_b : tensor<8x4xf32>, tensor<3x4xf32>
    train.write %w1, @w : tensor<8x4xf32>
    train.write %y, @y : tensor<8x3xf32>
  }
}
