// Loops around loops stay loops: LLVM would write a tile's product of 8 by 2 vectors nine times, for each position of the
// window. The innermost loop is LLVM's to unroll, here for the three positions of a row. (One more line declares it.)
// RUN: dlc compile %s --emit=llvm --triple=x86_64-linux-gnu --cpu=x86-64-v4 -o %t
// RUN: grep -c 'fmuladd.v16f32(' %t/p.conv.ll | FileCheck %s
// RUN: FileCheck %s --check-prefix=MARK < %t/p.conv.ll
// CHECK: {{^49$}}
// MARK: llvm.loop.unroll.disable
train.program @p {
  train.input @x : tensor<8x64x12x12xf32>
  train.state parameter @w : tensor<64x64x3x3xf32> = dense<0.1>
  train.output prediction @y : tensor<8x64x10x10xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x64x12x12xf32>
    %w = train.read @w : tensor<64x64x3x3xf32>
    %y = nn.conv %x, %w strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<8x64x12x12xf32>, tensor<64x64x3x3xf32>
    train.write %y, @y : tensor<8x64x10x10xf32>
  }
}
