// The gradient by an image whose tiles have a row for each of many images. Neighbouring windows of an image have most
// elements in common. Where the windows of all images do not fit the second-level cache, the tile goes over all
// positions of its images before the next one begins. In a cache twice as large they fit.
// RUN: dlc compile %s --loss=mse --optimizer=sgd --momentum=0 --cpu=znver4 --emit=schedule | FileCheck %s
// RUN: dlc compile %s --loss=mse --optimizer=sgd --momentum=0 --cpu=sapphirerapids --emit=schedule | FileCheck %s --check-prefix=LARGE

// CHECK: train.kernel @conv_transpose_compare_select schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 3, row = 0, rows = 8, vectors = 2> {{.*}}nest = [<loop = 0, size = 8>, <loop = 1, size = 1>, <loop = 2, size = 1>] packing = <columns = 0>
// LARGE: train.kernel @conv_transpose_compare_select schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 3, row = 0, {{.*}} nest = [<loop = 1, size = 1>, <loop = 2, size = 1>] packing = <columns = 0>
train.program @p {
  train.input @x : tensor<64x16x12x12xf32>
  train.state parameter @v : tensor<32x16x3x3xf32> = dense<0.1>
  train.state parameter @w : tensor<128x32x3x3xf32> = dense<0.1>
  train.output prediction @y : tensor<64x128x8x8xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x16x12x12xf32>
    %v = train.read @v : tensor<32x16x3x3xf32>
    %0 = nn.conv %x, %v strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<64x16x12x12xf32>, tensor<32x16x3x3xf32>
    %1 = nn.relu %0 : tensor<64x32x10x10xf32>
    %w = train.read @w : tensor<128x32x3x3xf32>
    %y = nn.conv %1, %w strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<64x32x10x10xf32>, tensor<128x32x3x3xf32>
    train.write %y, @y : tensor<64x128x8x8xf32>
  }
}
