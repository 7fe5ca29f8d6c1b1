// In the gradient by the image of a depthwise convolution with strides, the positions between two steps are dims of the
// result that move the weight alone, two of them here. Its vectors do not run along these, but along the channels.
// RUN: dlc compile %s --loss=mse --optimizer=sgd --momentum=0 --cpu=znver4 --emit=layout | FileCheck %s

// CHECK: train.state parameter @w layout <[1, 2, 3, 0]>
// CHECK-LABEL: train.function train_step
// CHECK: linalg.generic {doc = "conv_transpose"{{.*}} outs(%{{.*}} : tensor<3x16x2x16x2x32xf32>)
train.program @p {
  train.input @x : tensor<3x8x32x32xf32>
  train.state parameter @v : tensor<32x8x1x1xf32> = dense<0.1>
  train.state parameter @w : tensor<32x1x3x3xf32> = dense<0.1>
  train.output prediction @y : tensor<3x32x16x16xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x8x32x32xf32>
    %v = train.read @v : tensor<32x8x1x1xf32>
    %w = train.read @w : tensor<32x1x3x3xf32>
    %0 = nn.conv %x, %v strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<3x8x32x32xf32>, tensor<32x8x1x1xf32>
    %y = nn.conv %0, %w strides [2, 2] dilations [1, 1] low [1, 1] high [0, 0] groups 32
        : tensor<3x32x32x32xf32>, tensor<32x1x3x3xf32>
    train.write %y, @y : tensor<3x32x16x16xf32>
  }
}
