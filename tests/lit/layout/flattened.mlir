// The gradient of a pooled image comes from a matrix product as rows of a matrix: a view of them has the channels first.
// Its reader has them last, as the convolution wishes, and reads each element several times at computed places. So it
// reads a copy in its own order, not elements that lie far apart.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-verify-layout | FileCheck %s

// CHECK: %[[VIEW:.*]] = tensor.expand_shape {{.*}} into tensor<8x32x4x4xf32>
// CHECK: %[[COPY:.*]] = linalg.generic {doc = "layout"{{.*}} ins(%[[VIEW]] : tensor<8x32x4x4xf32>) outs(%{{.*}} : tensor<8x4x4x32xf32>)
// CHECK: linalg.generic {doc = "max_unpool"{{.*}} outs(%{{.*}} : tensor<8x8x8x32xf32>)
// CHECK: tensor.extract %[[COPY]][
train.program @p {
  train.input @x : tensor<8x16x10x10xf32>
  train.input @d : tensor<8x64xf32>
  train.state parameter @w : tensor<32x16x3x3xf32>
  train.state parameter @v : tensor<64x512xf32>
  train.output prediction @dy : tensor<8x32x8x8xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x16x10x10xf32>
    %w = train.read @w : tensor<32x16x3x3xf32>
    %y = nn.conv %x, %w strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<8x16x10x10xf32>, tensor<32x16x3x3xf32>
    %pooled, %positions = nn.max_pool %y kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
        : tensor<8x32x8x8xf32>
    %d = train.read @d : tensor<8x64xf32>
    %v = train.read @v : tensor<64x512xf32>
    %rows = nn.matmul %d, %v : tensor<8x64xf32>, tensor<64x512xf32>
    %dp = nn.reshape %rows : tensor<8x512xf32> -> tensor<8x32x4x4xf32>
    %dy = nn.max_unpool %dp, %positions sizes [8, 8] kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0]
        dilations [1, 1] : tensor<8x32x4x4xf32>, tensor<8x32x4x4xi32>
    train.write %dy, @dy : tensor<8x32x8x8xf32>
  }
}
