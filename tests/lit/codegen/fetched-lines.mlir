// What an update reads is fetched before: of eight rows, two vectors each. Rows of 384 columns begin with cache
// lines, so these are two lines. Rows of 376 do not: a third line is fetched, of whole tiles and of the last one.
// RUN: dlc compile %s --optimizer=sgd --emit=llvm --triple=x86_64-linux-gnu --cpu=x86-64-v4 -o %t.whole
// RUN: grep -c 'call void @llvm.prefetch' %t.whole/p.matmul_plain_sgd.ll | FileCheck %s --check-prefix=WHOLE
// RUN: sed s/x384xf32/x376xf32/g %s > %t.mlir
// RUN: dlc compile %t.mlir --optimizer=sgd --emit=llvm --triple=x86_64-linux-gnu --cpu=x86-64-v4 -o %t.cut
// RUN: grep -c 'call void @llvm.prefetch' %t.cut/p.matmul_plain_sgd.ll | FileCheck %s --check-prefix=CUT

// WHOLE: {{^16$}}
// CUT: {{^48$}}
train.program @p {
  train.state parameter @w : tensor<2048x384xf32> = dense<0.1>
  train.input @x : tensor<64x2048xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x2048xf32>
    %w = train.read @w : tensor<2048x384xf32>
    %0 = nn.matmul %x, %w : tensor<64x2048xf32>, tensor<2048x384xf32>
    %1 = nn.relu %0 : tensor<64x384xf32>
    %2 = nn.mul %1, %1 : tensor<64x384xf32>, tensor<64x384xf32>
    %loss = nn.sum %2 axes [0, 1] : tensor<64x384xf32>
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
  }
}
