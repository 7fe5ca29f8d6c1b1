// A tensor that is padded keeps its own place, and its padding is a copy, where a plain product reads it too: without gaps its
// rows are one loop. Here a window of one element reads it. So does what has rows too short for cache lines.
// RUN: dlc compile %s --emit=layout | FileCheck %s

// CHECK-LABEL: train.function predict
// CHECK-NOT: train.join
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%{{.*}} : tensor<4x9x9x16xf32>)
// CHECK-NOT: train.join
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%{{.*}} : tensor<4x9x9x4xf32>)
// CHECK-NOT: train.join
train.program @p {
  train.input @x : tensor<4x3x9x9xf32>
  train.state parameter @w0 : tensor<16x3x3x3xf32>
  train.state parameter @w1 : tensor<16x16x1x1xf32>
  train.state parameter @w2 : tensor<4x16x3x3xf32>
  train.state parameter @w3 : tensor<16x4x3x3xf32>
  train.output prediction @y : tensor<4x16x7x7xf32>
  train.output prediction @z : tensor<4x16x7x7xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4x3x9x9xf32>
    %w0 = train.read @w0 : tensor<16x3x3x3xf32>
    %w1 = train.read @w1 : tensor<16x16x1x1xf32>
    %w2 = train.read @w2 : tensor<4x16x3x3xf32>
    %w3 = train.read @w3 : tensor<16x4x3x3xf32>
    %s = nn.conv %x, %w0 strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<4x3x9x9xf32>, tensor<16x3x3x3xf32>
    %r = nn.relu %s : tensor<4x16x7x7xf32>
    %y = nn.conv %r, %w1 strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<4x16x7x7xf32>, tensor<16x16x1x1xf32>
    %n = nn.conv %r, %w2 strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<4x16x7x7xf32>, tensor<4x16x3x3xf32>
    %t = nn.tanh %n : tensor<4x4x7x7xf32>
    %z = nn.conv %t, %w3 strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<4x4x7x7xf32>, tensor<16x4x3x3xf32>
    train.write %y, @y : tensor<4x16x7x7xf32>
    train.write %z, @z : tensor<4x16x7x7xf32>
  }
}
