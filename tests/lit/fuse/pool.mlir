// The largest elements, their positions and what is computed of them are one kernel, which makes its own operand for
// the extents of the window. What is pooled is not recomputed for each window.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s

// CHECK: train.kernel @tanh
// CHECK: train.kernel @max_pool_mul attributes {shared = 3 : i64}
// CHECK: tensor.empty() : tensor<2x2xi1>
// CHECK: arith.maximumf
// CHECK: arith.mulf
// CHECK: train.function
train.program @p {
  train.input @x : tensor<8x4x16x16xf32>
  train.output prediction @y : tensor<8x4x8x8xf32>
  train.output prediction @where : tensor<8x4x8x8xi32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x4x16x16xf32>
    %0 = nn.tanh %x : tensor<8x4x16x16xf32>
    %1, %positions = nn.max_pool %0 kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
        : tensor<8x4x16x16xf32>
    %y = nn.mul %1, %1 : tensor<8x4x8x8xf32>, tensor<8x4x8x8xf32>
    train.write %y, @y : tensor<8x4x8x8xf32>
    train.write %positions, @where : tensor<8x4x8x8xi32>
  }
}
