// A group normalization between convolutions: channels stay last, as the convolutions have them, and nothing is copied
// into another order, neither forward nor back.
// RUN: dlc compile %s --loss=mse --optimizer=sgd --momentum=0 --cpu=znver4 --emit=layout > %t
// RUN: FileCheck %s < %t
// RUN: sed -n '/function train_step/,/^    }/p' %t | FileCheck %s --check-prefix=COPIES

// CHECK-LABEL: train.function train_step
// CHECK: doc = "layer_norm"{{.*}} ins(%{{.*}} : tensor<2x10x10x32xf32>) outs(%{{.*}} : tensor<2x32xf32>)
// COPIES: train.function train_step
// COPIES-NOT: doc = "layout"
train.program @p {
  train.input @x : tensor<2x3x12x12xf32>
  train.state parameter @v : tensor<32x3x3x3xf32> = dense<0.1>
  train.state parameter @w : tensor<32x32x3x3xf32> = dense<0.1>
  train.output prediction @y : tensor<2x32x8x8xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2x3x12x12xf32>
    %v = train.read @v : tensor<32x3x3x3xf32>
    %w = train.read @w : tensor<32x32x3x3xf32>
    %0 = nn.conv %x, %v strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<2x3x12x12xf32>, tensor<32x3x3x3xf32>
    %1 = nn.reshape %0 : tensor<2x32x10x10xf32> -> tensor<2x8x4x10x10xf32>
    %one = nn.constant dense<1.0> : tensor<4x10x10xf32>
    %zero = nn.constant dense<0.0> : tensor<4x10x10xf32>
    %2, %mean, %rstd = nn.layer_norm %1, %one, %zero axis 2 epsilon 1.0e-5
        : tensor<2x8x4x10x10xf32>, tensor<4x10x10xf32>, tensor<4x10x10xf32>
    %3 = nn.reshape %2 : tensor<2x8x4x10x10xf32> -> tensor<2x32x10x10xf32>
    %4 = nn.relu %3 : tensor<2x32x10x10xf32>
    %y = nn.conv %4, %w strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<2x32x10x10xf32>, tensor<32x32x3x3xf32>
    train.write %y, @y : tensor<2x32x8x8xf32>
  }
}
