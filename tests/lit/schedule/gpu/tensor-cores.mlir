// Products of low operands run on tensor cores, those of float32 do not. The tile follows from the sizes
// alone; rounds of bf16 that comes through registers, as what is read in windows does, are shorter.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-fuse --dlc-schedule-gpu --dlc-verify-schedule-gpu | FileCheck %s

// CHECK-DAG: train.kernel @matmul schedule(#cuda.schedule<#cuda.mma<rows = 128 columns = 128 steps = 32 warp_rows = 64 warp_columns = 64 stages = 3 left = <bytes = 16 along_steps = true> right = <bytes = 16>>, threads = 128 grid = 256>)
// CHECK-DAG: train.kernel @matmul_relu schedule(#cuda.schedule<#cuda.mma<rows = 128 columns = 128 steps = 32 warp_rows = 64 warp_columns = 64 stages = 3 left = <bytes = 16 along_steps = true> right = <bytes = 16>>, threads = 128 grid = 256>)
// CHECK-DAG: train.kernel @matmul_1 schedule(#cuda.schedule<#cuda.mma<rows = 64 columns = 16 steps = 16 warp_rows = 16 warp_columns = 8 stages = 4 left = <bytes = 16 along_steps = true> right = <bytes = 8>>, threads = 256 grid = 32>)
// CHECK-DAG: train.kernel @conv schedule(#cuda.schedule<#cuda.mma<rows = 128 columns = 64 steps = 16 warp_rows = 64 warp_columns = 32 stages = 2 left = <bytes = 0> right = <bytes = 0 along_steps = true>>
// CHECK-DAG: train.kernel @matmul_2 schedule(#cuda.schedule<#cuda.contraction<
train.program @products {
  train.input @x : tensor<2048x512xbf16>
  train.input @w : tensor<512x2048xbf16>
  train.input @v : tensor<512x2048xbf16>
  train.input @u : tensor<2048x512xf32>
  train.input @t : tensor<512x10xf32>
  train.input @image : tensor<32x16x34x34xbf16>
  train.input @filter : tensor<64x16x3x3xbf16>
  train.output prediction @y : tensor<2048x2048xf32>
  train.output prediction @z : tensor<2048x2048xf32>
  train.output prediction @p : tensor<2048x10xf32>
  train.output prediction @q : tensor<2048x10xf32>
  train.output prediction @c : tensor<32x64x32x32xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2048x512xbf16>
    %w = train.read @w : tensor<512x2048xbf16>
    %v = train.read @v : tensor<512x2048xbf16>
    %u = train.read @u : tensor<2048x512xf32>
    %t = train.read @t : tensor<512x10xf32>
    %y = nn.matmul %x, %w wide : tensor<2048x512xbf16>, tensor<512x2048xbf16>
    %0 = nn.matmul %x, %v wide : tensor<2048x512xbf16>, tensor<512x2048xbf16>
    %z = nn.relu %0 : tensor<2048x2048xf32>
    %1 = nn.cast %u to tf32 : tensor<2048x512xf32>
    %2 = nn.cast %t to tf32 : tensor<512x10xf32>
    %p = nn.matmul %1, %2 wide : tensor<2048x512xtf32>, tensor<512x10xtf32>
    %q = nn.matmul %u, %t : tensor<2048x512xf32>, tensor<512x10xf32>
    %image = train.read @image : tensor<32x16x34x34xbf16>
    %filter = train.read @filter : tensor<64x16x3x3xbf16>
    %c = nn.conv %image, %filter strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 wide
       : tensor<32x16x34x34xbf16>, tensor<64x16x3x3xbf16>
    train.write %c, @c : tensor<32x64x32x32xf32>
    train.write %y, @y : tensor<2048x2048xf32>
    train.write %z, @z : tensor<2048x2048xf32>
    train.write %p, @p : tensor<2048x10xf32>
    train.write %q, @q : tensor<2048x10xf32>
  }
}
