// The three products of convolutions, trained. Where channels lie far apart, columns are copied into panels. The
// gradient by a weight sums over images and positions: a few images at a time, whose sums stay in the second-level
// cache; all elements of the window share one copy of the images. The gradient by an image transposes the weight while it
// copies it, and meets the window's elements from the last one on, so that it reads rows forward; each tile asks early for
// the mask that its epilogue reads.
// RUN: dlc compile %s --loss=mse --optimizer=sgd --momentum=0 --cpu=x86-64-v4 --emit=schedule | FileCheck %s

// CHECK: train.kernel @conv_relu_1 schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 3, row = 2, rows = 8, vectors = 2> nest = [<loop = 0, size = 1>, <loop = 1, size = 1>] packing = <columns = 0>>, lanes = 16 split = <loop = 3, size = 32, chunks = 8>
// CHECK: train.kernel @conv_transpose_compare_select schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 3, row = 0, rows = 8, vectors = 2> reduction = <descending = [4, 5]> nest = [<loop = 1, size = 1>, <loop = 2, size = 1>] packing = <columns = 0> prefetch = <epilogue = 1>>
// CHECK: train.kernel @conv_weight_gradient_plain_sgd schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 3, row = 2, rows = 8, vectors = 2> nest = [<loop = 4, size = 16>, <loop = 2, size = 80>, <loop = 0, size = 1>, <loop = 1, size = 1>] packing = <columns = 1, rows = 2> prefetch = <epilogue = 1>>, lanes = 16 split = <loop = 3, size = 128, chunks = 2>
train.program @p {
  train.input @x : tensor<32x64x12x12xf32>
  train.state parameter @u : tensor<64x64x3x3xf32> = dense<0.1>
  train.state parameter @v : tensor<256x64x1x1xf32> = dense<0.1>
  train.state parameter @w : tensor<256x256x3x3xf32> = dense<0.1>
  train.output prediction @y : tensor<32x256x8x8xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<32x64x12x12xf32>
    %u = train.read @u : tensor<64x64x3x3xf32>
    %3 = nn.conv %x, %u strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<32x64x12x12xf32>, tensor<64x64x3x3xf32>
    %4 = nn.relu %3 : tensor<32x64x10x10xf32>
    %v = train.read @v : tensor<256x64x1x1xf32>
    %0 = nn.conv %4, %v strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<32x64x10x10xf32>, tensor<256x64x1x1xf32>
    %1 = nn.relu %0 : tensor<32x256x10x10xf32>
    %w = train.read @w : tensor<256x256x3x3xf32>
    %2 = nn.conv %1, %w strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<32x256x10x10xf32>, tensor<256x256x3x3xf32>
    %y = nn.relu %2 : tensor<32x256x8x8xf32>
    train.write %y, @y : tensor<32x256x8x8xf32>
  }
}
