// With channels last, the positions inside a stride and the channels of an image lie side by side. Of the gradient by the
// image they stay two loops: products with padding are known by the first alone.
// RUN: dlc compile %s --emit=fuse | FileCheck %s

// CHECK: #[[KERNEL:.*]] = affine_set<(d0, d1, d2, d3, d4, d5) : (-(d1 - d5 + 1) + 3 >= 0, d5 * 2 + d2 - 1 >= 0)>
// CHECK: train.kernel @conv_transpose
// CHECK: linalg.generic {doc = "conv_transpose", {{.*}} outs(%{{.*}} : tensor<2x4x2x16xf32>) attrs = {train.nonzero = #[[KERNEL]]}
train.program @p {
  train.input @dy : tensor<2x32x4xf32>
  train.input @w : tensor<32x16x3xf32>
  train.output prediction @dx : tensor<2x16x8xf32>
  train.function forward @forward {
    %dy = train.read @dy : tensor<2x32x4xf32>
    %w = train.read @w : tensor<32x16x3xf32>
    %dx = nn.conv_transpose %dy, %w size [8] strides [2] dilations [1] low [1] high [1] groups 1
        : tensor<2x32x4xf32>, tensor<32x16x3xf32>
    train.write %dx, @dx : tensor<2x16x8xf32>
  }
}
