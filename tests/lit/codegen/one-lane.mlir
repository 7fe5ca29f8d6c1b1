// The last vector of 33 elements has one lane. It is stored as an element of its own size: LLVM's selection of
// instructions would write four bytes for a bf16 (llvm/llvm-project#179489).
// RUN: dlc compile %s --name=p --loss=mse --optimizer=sgd --precision=bf16 --triple=x86_64-linux-gnu --cpu=znver4 --emit=llvm -o %t
// RUN: FileCheck %s --input-file=%t/p.cast.ll

// CHECK-NOT: call void @llvm.masked.store
// CHECK: store i16
// CHECK-NOT: call void @llvm.masked.store
train.program @p {
  train.input @x : tensor<4x33xf32>
  train.state parameter @w : tensor<1x33xf32> = dense<0.1>
  train.output prediction @y : tensor<4x1xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4x33xf32>
    %w = train.read @w : tensor<1x33xf32>
    %y = nn.matmul %x, %w transpose_b : tensor<4x33xf32>, tensor<1x33xf32>
    train.write %y, @y : tensor<4x1xf32>
  }
}
