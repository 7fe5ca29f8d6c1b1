// The gradient of a convolution's weight copies the rows of its tiles, in blocks. With an update behind it, a block takes a
// quarter of the second-level cache, half of it without: what is fetched for the update has to stay there, too.
// RUN: dlc compile %s --loss=mse --optimizer=sgd --momentum=0.9 --cpu=znver4 --emit=schedule | FileCheck %s

// CHECK-DAG: train.kernel @conv_weight_gradient_sgd schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 3, row = 2, rows = 8, vectors = 2> nest = [<loop = 2, size = 32>{{.*}} packing = <columns = {{[0-9]+}}, rows = 1>
// CHECK-DAG: train.kernel @conv_weight_gradient{{(_[0-9]+)?}} schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 3, row = 2, rows = 8, vectors = 2> nest = [<loop = 2, size = 40>{{.*}} packing = <columns = {{[0-9]+}}, rows = 1>
train.program @p {
  train.input @x : tensor<32x8x8x8xf32>
  train.state parameter @v : tensor<128x8x1x1xf32> = dense<0.1>
  train.state parameter @w : tensor<256x128x4x4xf32> = dense<0.1>
  train.output prediction @y : tensor<32x256x4x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<32x8x8x8xf32>
    %v = train.read @v : tensor<128x8x1x1xf32>
    %w = train.read @w : tensor<256x128x4x4xf32>
    %0 = nn.conv %x, %v strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<32x8x8x8xf32>, tensor<128x8x1x1xf32>
    %y = nn.conv %0, %w strides [2, 2] dilations [1, 1] low [1, 1] high [1, 1] groups 1
        : tensor<32x128x8x8xf32>, tensor<256x128x4x4xf32>
    train.write %y, @y : tensor<32x256x4x4xf32>
  }
}
