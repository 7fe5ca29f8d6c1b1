// The gradient of GELU needs the normal distribution's function and its density. e^(-x^2 / 2) is computed once for
// both, also in the first layer, whose distribution function is computed again from what is kept. (An exponential
// shifts exponents into their place once.)
// RUN: dlc compile %s --name=p --loss=mse --optimizer=sgd --triple=x86_64-linux-gnu --cpu=x86-64-v4 --emit=llvm -o %t
// RUN: cat %t/p.matmul_gelu_mul_exp*.ll | FileCheck %s

// CHECK-LABEL: @p.matmul_gelu_mul_exp
// CHECK: fdiv <16 x float>
// CHECK: shl <16 x i32> {{.*}}, splat (i32 23)
// CHECK-NOT: {{shl <16 x i32>|@llvm.floor}}
// CHECK: {{fdiv|ret void}}
train.program @p {
  train.input @x : tensor<512x64xf32>
  train.state parameter @w0 : tensor<64x1024xf32> = dense<0.1>
  train.state parameter @v0 : tensor<1024x64xf32> = dense<0.1>
  train.state parameter @w1 : tensor<64x1024xf32> = dense<0.1>
  train.state parameter @v1 : tensor<1024x64xf32> = dense<0.1>
  train.output prediction @y : tensor<512x64xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<512x64xf32>
    %w0 = train.read @w0 : tensor<64x1024xf32>
    %v0 = train.read @v0 : tensor<1024x64xf32>
    %w1 = train.read @w1 : tensor<64x1024xf32>
    %v1 = train.read @v1 : tensor<1024x64xf32>
    %p0 = nn.matmul %x, %w0 : tensor<512x64xf32>, tensor<64x1024xf32>
    %g0 = nn.gelu %p0 : tensor<512x1024xf32>
    %h = nn.matmul %g0, %v0 : tensor<512x1024xf32>, tensor<1024x64xf32>
    %p1 = nn.matmul %h, %w1 : tensor<512x64xf32>, tensor<64x1024xf32>
    %g1 = nn.gelu %p1 : tensor<512x1024xf32>
    %y = nn.matmul %g1, %v1 : tensor<512x1024xf32>, tensor<1024x64xf32>
    train.write %y, @y : tensor<512x64xf32>
  }
}
