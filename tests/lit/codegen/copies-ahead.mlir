// The gradient of a weight over 1024 rows copies both operands. On Intel's cores the copies ask for what they read eight
// steps later: a step of the columns, 256 elements, is 1 KB from the next, one of the rows, 768 elements, 3 KB.
// RUN: dlc compile %s --optimizer=sgd --momentum=0 --emit=llvm --triple=x86_64-linux-gnu --cpu=cascadelake -o %t
// RUN: FileCheck %s < %t/p.matmul_plain_sgd.ll

// CHECK: load <16 x float>, ptr [[COLUMNS:%.*]], align 4
// CHECK: [[AT:%.*]] = getelementptr i8, ptr [[COLUMNS]], i64 8192
// CHECK-NEXT: call void @llvm.prefetch.p0(ptr [[AT]]
// CHECK: load <6 x float>, ptr [[ROWS:%.*]], align 4
// CHECK: [[AT:%.*]] = getelementptr i8, ptr [[ROWS]], i64 24576
// CHECK-NEXT: call void @llvm.prefetch.p0(ptr [[AT]]
train.program @p {
  train.state parameter @w : tensor<768x256xf32> = dense<0.1>
  train.input @x : tensor<1024x768xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<1024x768xf32>
    %w = train.read @w : tensor<768x256xf32>
    %0 = nn.matmul %x, %w : tensor<1024x768xf32>, tensor<768x256xf32>
    %1 = nn.relu %0 : tensor<1024x256xf32>
    %2 = nn.mul %1, %1 : tensor<1024x256xf32>, tensor<1024x256xf32>
    %loss = nn.sum %2 axes [0, 1] : tensor<1024x256xf32>
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
  }
}
