// Rows of three elements, sixteen in the lanes of a vector, are read and written whole: no element by itself.
// RUN: dlc compile %s --emit=asm --triple=x86_64-linux-gnu --cpu=x86-64-v4 -o %t
// RUN: cat %t/p.softmax*.s | FileCheck %s

// CHECK-LABEL: p.softmax
// CHECK-NOT: {{gather|scatter}}
// CHECK: vpermt2ps
// CHECK-NOT: {{gather|scatter}}
// CHECK: ret
train.program @p {
  train.input @x : tensor<64x3xf32>
  train.output prediction @y : tensor<64x3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x3xf32>
    %y = nn.softmax %x axis 1 : tensor<64x3xf32>
    train.write %y, @y : tensor<64x3xf32>
  }
}
