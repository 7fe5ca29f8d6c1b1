// A function of the program is a table of launches: which kernel runs on which places, in how many chunks. The C
// functions forward to the runtime.
// RUN: dlc compile %s --emit=llvm --triple=x86_64-linux-gnu --cpu=x86-64-v4 -o %t
// RUN: FileCheck %s --input-file=%t/p.main.ll

// Kernels: name, code, chunks. Launches: kernel, first place, number of places. Places: input 0, state 0, output 0;
// input 1, output 1.
// CHECK-DAG: @[[MATMUL:description[.0-9]*]] = private constant [7 x i8] c"matmul\00"
// CHECK-DAG: @[[EXP:description[.0-9]*]] = private constant [4 x i8] c"exp\00"
// CHECK: @[[LAUNCHES:description[.0-9]*]] = private constant [2 x { i32, i32, i32, i32 }] [{ i32, i32, i32, i32 } { i32 0, i32 0, i32 3, i32 0 }, { i32, i32, i32, i32 } { i32 1, i32 3, i32 2, i32 0 }]
// CHECK: @[[PLACES:description[.0-9]*]] = private constant [5 x i64] [i64 2, i64 1, i64 3, i64 10, i64 11]
// CHECK: @[[KERNELS:description[.0-9]*]] = private constant [2 x { ptr, ptr, i64 }] [{ ptr, ptr, i64 } { ptr @[[MATMUL]], ptr @p.matmul, i64 8 }, { ptr, ptr, i64 } { ptr @[[EXP]], ptr @p.exp, i64 1 }]
// CHECK: @p.model = constant
// CHECK: declare hidden void @p.matmul(ptr, ptr, i64, i64)
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
