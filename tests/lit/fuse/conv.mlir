// A convolution is a contraction: what follows it element by element is in its kernel, a bias per channel too.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s

// CHECK: train.kernel @conv_add_relu attributes {shared = 4 : i64}
// CHECK: %[[C:.*]] = linalg.generic {doc = "conv"
// CHECK: linalg.generic {doc = "add relu"
// CHECK-NOT: linalg.generic
// CHECK-LABEL: train.function predict
// CHECK: train.launch @conv_add_relu
// CHECK-NOT: train.launch
train.program @p {
  train.input @x : tensor<2x3x8x8xf32>
  train.input @w : tensor<5x3x3x3xf32>
  train.input @b : tensor<5x1x1xf32>
  train.output prediction @y : tensor<2x5x6x6xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2x3x8x8xf32>
    %w = train.read @w : tensor<5x3x3x3xf32>
    %b = train.read @b : tensor<5x1x1xf32>
    %c = nn.conv %x, %w strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<2x3x8x8xf32>, tensor<5x3x3x3xf32>
    %s = nn.add %c, %b : tensor<2x5x6x6xf32>, tensor<5x1x1xf32>
    %y = nn.relu %s : tensor<2x5x6x6xf32>
    train.write %y, @y : tensor<2x5x6x6xf32>
  }
}
