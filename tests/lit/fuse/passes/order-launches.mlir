// The launch that makes the new value of a state comes after the one that reads the old value, which stood behind it. The
// places in the program's order are gone then.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-group-loop-nests --dlc-outline-kernels --dlc-unique-kernels | FileCheck %s --check-prefix=BEFORE
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-group-loop-nests --dlc-outline-kernels --dlc-unique-kernels --dlc-order-launches | FileCheck %s

// BEFORE: train.launch @add(
// BEFORE: train.launch @exp(
// CHECK: train.launch @exp(
// CHECK: train.launch @add(
// CHECK-NOT: train.position
train.program @p {
  train.state parameter @w : tensor<8x4xf32>
  train.input @g : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function train_step @train_step {
    %w = train.read @w : tensor<8x4xf32>
    %g = train.read @g : tensor<8x4xf32>
    %w1 = nn.add %w, %g : tensor<8x4xf32>, tensor<8x4xf32>
    %e = nn.exp %w : tensor<8x4xf32>
    train.write %w1, @w : tensor<8x4xf32>
    train.write %e, @y : tensor<8x4xf32>
  }
}
