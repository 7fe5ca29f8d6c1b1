// Images with padding. The rows of a tile are positions side by side where padding is a small part of the products (16
// columns), and positions of several images where it is a large one (8 columns): a tile then leaves it out. Images are shared
// among threads where there are more of them than columns of tiles.
// RUN: dlc compile %s --cpu=x86-64-v4 --emit=schedule | FileCheck %s

// CHECK: train.kernel @conv_relu schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 3, row = 2, rows = 8, vectors = 2> nest = [<loop = 0, size = 1>, <loop = 1, size = 1>] prefetch = <next = 0, lines = [1, 0]>>, lanes = 16 split = <loop = 0, size = 2, chunks = 16>
// CHECK: ins(%{{.*}} : tensor<32x64x18x18xf32>
// CHECK: train.kernel @conv_relu_{{[0-9]+}} schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 3, row = 0, rows = 8, vectors = 2> nest = [<loop = 1, size = 1>, <loop = 2, size = 1>]>, lanes = 16 split = <loop = 1, size = 1, chunks = 8>
// CHECK: ins(%{{.*}} : tensor<32x64x10x10xf32>
train.program @p {
  train.input @x : tensor<32x64x16x16xf32>
  train.input @small : tensor<32x64x8x8xf32>
  train.state parameter @w : tensor<64x64x3x3xf32> = dense<0.1>
  train.output prediction @y : tensor<32x64x16x16xf32>
  train.output prediction @z : tensor<32x64x8x8xf32>
  train.function forward @forward {
    %w = train.read @w : tensor<64x64x3x3xf32>
    %x = train.read @x : tensor<32x64x16x16xf32>
    %0 = nn.conv %x, %w strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1
        : tensor<32x64x16x16xf32>, tensor<64x64x3x3xf32>
    %y = nn.relu %0 : tensor<32x64x16x16xf32>
    train.write %y, @y : tensor<32x64x16x16xf32>
    %small = train.read @small : tensor<32x64x8x8xf32>
    %1 = nn.conv %small, %w strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1
        : tensor<32x64x8x8xf32>, tensor<64x64x3x3xf32>
    %z = nn.relu %1 : tensor<32x64x8x8xf32>
    train.write %z, @z : tensor<32x64x8x8xf32>
  }
}
