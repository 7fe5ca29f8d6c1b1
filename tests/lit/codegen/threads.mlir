// A kernel of several chunks goes through dlc_parallel; a small one is called. The C functions forward
// to the runtime.
// RUN: dlc compile %s --emit=llvm --cpu=x86-64-v4 -o %t
// RUN: FileCheck %s --input-file=%t/p.main.ll

// CHECK: define hidden void @p.predict(ptr
// CHECK: call void @dlc_parallel(ptr {{.*}}@p.matmul{{.*}}i64 8)
// CHECK: call void @p.exp
// CHECK: define {{.*}}i32 @p_create_checked(
// CHECK: call i32 @dlc_instance_create(
// CHECK: define {{.*}}i32 @p_predict(
train.program @p {
  train.state parameter @w : tensor<784x256xf32> = dense<0.5>
  train.input @x : tensor<64x784xf32>
  train.input @a : tensor<8xf32>
  train.output prediction @y : tensor<64x256xf32>
  train.output prediction @z : tensor<8xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x784xf32>
    %w = train.read @w : tensor<784x256xf32>
    %y = nn.matmul %x, %w : tensor<64x784xf32>, tensor<784x256xf32>
    train.write %y, @y : tensor<64x256xf32>
    %a = train.read @a : tensor<8xf32>
    %z = nn.exp %a : tensor<8xf32>
    train.write %z, @z : tensor<8xf32>
  }
}
