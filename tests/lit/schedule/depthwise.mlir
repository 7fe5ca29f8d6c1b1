// A depthwise convolution runs in register tiles, and so do its gradients: channels, which both operands move along, are
// the lanes, and positions side by side the rows; in the weight's gradient the rows are elements of the window. The
// weight lies with its channels last for that, and so does its gradient, whoever asks for it. In the gradient, each
// column of tiles reads lines of an image while they are in the second-level cache. What stands before is not computed
// in the tiles, where each element of the window would compute it again.
// RUN: dlc compile %s --loss=mse --optimizer=sgd --momentum=0 --cpu=znver4 --emit=schedule | FileCheck %s
// On GPUs, it has no columns to share.
// RUN: dlc compile %s --loss=mse --optimizer=sgd --momentum=0 --target=nvptx --emit=schedule | FileCheck %s --check-prefix=GPU

// CHECK: train.state parameter @w layout <[1, 2, 3, 0]>
// CHECK: train.state gradient @w.grad of @w layout <[1, 2, 3, 0]>
// CHECK-DAG: train.kernel @conv_add_relu schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 3, row = 2, rows = 8, vectors = 2> nest = [<loop = 0, size = 1>, <loop = 1, size = 1>]>, lanes = 16
// CHECK-DAG: train.kernel @conv_transpose schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 3, row = 2, rows = 8, vectors = 2> nest = [<loop = 0, size = 1>, <loop = 1, size = 1>]>, lanes = 16
// CHECK-DAG: train.kernel @conv_weight_gradient_plain_sgd schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 2, row = 1, rows = 3, vectors = 7> nest = [<loop = 3, size = 1>, <loop = 4, size = 6>, <loop = 0, size = 1>]>, lanes = 16
// CHECK-LABEL: train.function train_step
// GPU: train.kernel @conv_add_relu schedule(#cuda.schedule<#cuda.points<
train.program @p {
  train.input @x : tensor<3x8x32x32xf32>
  train.state parameter @v : tensor<320x8x1x1xf32> = dense<0.1>
  train.state parameter @w : tensor<320x1x3x3xf32> = dense<0.1>
  train.state parameter @b : tensor<320x1x1xf32> = dense<0.1>
  train.output prediction @y : tensor<3x320x30x30xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x8x32x32xf32>
    %v = train.read @v : tensor<320x8x1x1xf32>
    %w = train.read @w : tensor<320x1x3x3xf32>
    %b = train.read @b : tensor<320x1x1xf32>
    %0 = nn.conv %x, %v strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<3x8x32x32xf32>, tensor<320x8x1x1xf32>
    %1 = nn.conv %0, %w strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 320
        : tensor<3x320x32x32xf32>, tensor<320x1x3x3xf32>
    %2 = nn.add %1, %b : tensor<3x320x30x30xf32>, tensor<320x1x1xf32>
    %y = nn.relu %2 : tensor<3x320x30x30xf32>
    train.write %y, @y : tensor<3x320x30x30xf32>
  }
}
