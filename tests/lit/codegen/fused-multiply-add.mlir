// Products are accumulated by fused multiply-adds on whole registers; what follows a product runs on
// the tile: there is no loop for the bias. The last of ten columns' lanes are masked.
// RUN: dlc compile %s --emit=asm --triple=x86_64-linux-gnu --cpu=x86-64-v4 -o %t
// RUN: cat %t/p.matmul_add*.s | FileCheck %s

// CHECK-LABEL: p.matmul_add
// CHECK: vfmadd{{[0-9]+}}ps {{.*}}%zmm
// CHECK: vmovups {{.*}}{%k{{[0-9]}}}
train.program @p {
  train.state parameter @w : tensor<64x10xf32> = dense<0.5>
  train.state parameter @b : tensor<10xf32> = dense<1.0>
  train.input @x : tensor<16x64xf32>
  train.output prediction @y : tensor<16x10xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<16x64xf32>
    %w = train.read @w : tensor<64x10xf32>
    %0 = nn.matmul %x, %w : tensor<16x64xf32>, tensor<64x10xf32>
    %b = train.read @b : tensor<10xf32>
    %y = nn.add %0, %b : tensor<16x10xf32>, tensor<10xf32>
    train.write %y, @y : tensor<16x10xf32>
  }
}
