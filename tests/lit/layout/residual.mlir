// A residual network, trained: nothing is moved between convolutions, batch normalizations, ReLUs and sums, forward or
// backward, with strides or without. Copies are made where the image becomes a row of features, of the last layer's weight,
// whose ten outputs would fill vectors badly if they lay last, and of the weight of one element. The products for the
// gradients of images transpose the other weights themselves.
// RUN: dlc compile %s --loss=softmax-cross-entropy --cpu=x86-64-v4 --emit=layout | FileCheck %s

// CHECK: train.state parameter @w1 layout <[1, 2, 3, 0]> : tensor<32x3x3x3xf32>
// CHECK: train.state parameter @w2 layout <[2, 3, 1, 0]> : tensor<32x32x3x3xf32>
// CHECK: train.state parameter @w3 layout <[2, 3, 1, 0]> : tensor<64x32x3x3xf32>
// CHECK: train.state parameter @w4 layout <[1, 2, 3, 0]> : tensor<64x32x1x1xf32>
// CHECK-LABEL: train.function train_step
// CHECK-NOT: doc = "layout"
// CHECK: linalg.generic {doc = "layout"{{.*}} ins(%{{.*}} : tensor<8x8x8x64xf32>) outs(%{{.*}} : tensor<8x64x8x8xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NOT: doc = "layout"
// CHECK: linalg.generic {doc = "layout"{{.*}} ins(%{{.*}} : tensor<128x10x32xf32>) outs(%{{.*}} : tensor<128x32x10xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NOT: doc = "layout"
// CHECK: linalg.generic {doc = "layout"{{.*}} ins(%{{.*}} : tensor<32x64xf32>) outs(%{{.*}} : tensor<64x32xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NOT: doc = "layout"
// CHECK-LABEL: train.function grad_step
train.program @net {
  train.dim @batch = 8
  train.state parameter @w1 : tensor<32x3x3x3xf32> = dense<0.1>
  train.state parameter @w2 : tensor<32x32x3x3xf32> = dense<0.1>
  train.state parameter @s : tensor<32xf32> = dense<1.0>
  train.state parameter @b : tensor<32xf32> = dense<0.0>
  train.state parameter @w3 : tensor<64x32x3x3xf32> = dense<0.1>
  train.state parameter @w4 : tensor<64x32x1x1xf32> = dense<0.1>
  train.state parameter @fc : tensor<10x4096xf32> = dense<0.1>
  train.state buffer @m : tensor<32xf32> = dense<0.0>
  train.state buffer @v : tensor<32xf32> = dense<1.0>
  train.input @x : tensor<?x3x16x16xf32, #nn.dims<batch, _, _, _>>
  train.output prediction @y : tensor<?x10xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x3x16x16xf32, #nn.dims<batch, _, _, _>>
    %w1 = train.read @w1 : tensor<32x3x3x3xf32>
    %w2 = train.read @w2 : tensor<32x32x3x3xf32>
    %w3 = train.read @w3 : tensor<64x32x3x3xf32>
    %w4 = train.read @w4 : tensor<64x32x1x1xf32>
    %s = train.read @s : tensor<32xf32>
    %b = train.read @b : tensor<32xf32>
    %fc = train.read @fc : tensor<10x4096xf32>
    %0 = nn.conv %x, %w1 strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<?x3x16x16xf32, #nn.dims<batch, _, _, _>>, tensor<32x3x3x3xf32>
    %1 = train.batch_norm %0, %s, %b running @m, @v momentum 0.9 epsilon 1.0e-5 : tensor<?x32x16x16xf32, #nn.dims<batch, _, _, _>>, tensor<32xf32>, tensor<32xf32>
    %2 = nn.relu %1 : tensor<?x32x16x16xf32, #nn.dims<batch, _, _, _>>
    %3 = nn.conv %2, %w2 strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<?x32x16x16xf32, #nn.dims<batch, _, _, _>>, tensor<32x32x3x3xf32>
    %4 = nn.add %3, %2 : tensor<?x32x16x16xf32, #nn.dims<batch, _, _, _>>, tensor<?x32x16x16xf32, #nn.dims<batch, _, _, _>>
    %5 = nn.relu %4 : tensor<?x32x16x16xf32, #nn.dims<batch, _, _, _>>
    %6 = nn.conv %5, %w3 strides [2, 2] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<?x32x16x16xf32, #nn.dims<batch, _, _, _>>, tensor<64x32x3x3xf32>
    %7 = nn.conv %5, %w4 strides [2, 2] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<?x32x16x16xf32, #nn.dims<batch, _, _, _>>, tensor<64x32x1x1xf32>
    %8 = nn.add %6, %7 : tensor<?x64x8x8xf32, #nn.dims<batch, _, _, _>>, tensor<?x64x8x8xf32, #nn.dims<batch, _, _, _>>
    %9 = nn.relu %8 : tensor<?x64x8x8xf32, #nn.dims<batch, _, _, _>>
    %10 = nn.reshape %9 : tensor<?x64x8x8xf32, #nn.dims<batch, _, _, _>> -> tensor<?x4096xf32, #nn.dims<batch, _>>
    %11 = nn.matmul %10, %fc transpose_b : tensor<?x4096xf32, #nn.dims<batch, _>>, tensor<10x4096xf32>
    train.write %11, @y : tensor<?x10xf32, #nn.dims<batch, _>>
  }
}
