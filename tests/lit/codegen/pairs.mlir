// Two products of bf16 are added to each sum at once. Pairs of a row are words of memory; those of the columns are two
// rows whose elements take turns. A product with float32 sums of one element at a time has none of it.
// RUN: dlc compile %s --precision=bf16 --emit=llvm --triple=x86_64-linux-gnu --cpu=znver4 -o %t
// RUN: FileCheck %s --check-prefix=PAIRS < %t/p.matmul.ll
// RUN: dlc compile %s --precision=bf16 --emit=llvm --triple=x86_64-linux-gnu --cpu=x86-64-v4 -o %t
// RUN: FileCheck %s --check-prefix=NONE < %t/p.matmul.ll

// PAIRS: define hidden void @p.matmul(
// PAIRS: load i32, ptr {{.*}}, align 2
// PAIRS: shufflevector <16 x i16> {{.*}} <32 x i32> <i32 0, i32 16, i32 1, i32 17,
// PAIRS: call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float>
// PAIRS-NOT: fma
// NONE-NOT: dpbf16ps
// NONE: llvm.fmuladd.v16f32
train.program @p {
  train.state parameter @w : tensor<6x32xf32> = dense<0.1>
  train.input @x : tensor<3x6xf32>
  train.output prediction @y : tensor<3x32xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x6xf32>
    %w = train.read @w : tensor<6x32xf32>
    %y = nn.matmul %x, %w : tensor<3x6xf32>, tensor<6x32xf32>
    train.write %y, @y : tensor<3x32xf32>
  }
}
