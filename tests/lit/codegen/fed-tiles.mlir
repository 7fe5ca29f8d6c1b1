// A tile of the product fetches the next tile's rows; the gradient's columns are copied to the stack, 64 rows
// of 32.
// RUN: dlc compile %s --optimizer=sgd --emit=llvm --triple=x86_64-linux-gnu --cpu=x86-64-v4 -o %t
// RUN: FileCheck %s --check-prefix=AHEAD < %t/p.matmul_relu_mul.ll
// RUN: FileCheck %s --check-prefix=PACK < %t/p.matmul_plain_sgd.ll

// AHEAD: call void @llvm.prefetch
// PACK: alloca [8192 x i8], align 64
train.program @p {
  train.state parameter @w : tensor<640x128xf32> = dense<0.1>
  train.input @x : tensor<64x640xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x640xf32>
    %w = train.read @w : tensor<640x128xf32>
    %0 = nn.matmul %x, %w : tensor<64x640xf32>, tensor<640x128xf32>
    %1 = nn.relu %0 : tensor<64x128xf32>
    %2 = nn.mul %1, %1 : tensor<64x128xf32>, tensor<64x128xf32>
    %loss = nn.sum %2 axes [0, 1] : tensor<64x128xf32>
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
  }
}
