// Each call has scratch of its own, at the number of its first chunk times the bytes that one chunk needs; the arena
// has room for all of them. Chunks that ran at the same time would else overwrite each other's rows, which a test
// of the numbers sees only where threads happen to meet.
// RUN: dlc compile %s --emit=plan --triple=x86_64-linux-gnu --cpu=x86-64-v4 | FileCheck %s --check-prefix=PLAN
// RUN: dlc compile %s --emit=llvm --triple=x86_64-linux-gnu --cpu=x86-64-v4 -O0 -o %t
// RUN: FileCheck %s --input-file=%t/p.softmax.ll

// PLAN: split = <loop = 0, size = 32, chunks = 63> scratch = 80064
// 63 * 80064
// PLAN: train.place at 0 : memref<5044032xi8>

// CHECK: define hidden void @p.softmax(ptr [[BUFFERS:%.*]], ptr {{.*}}, i64 [[FIRST:%.*]], i64 {{.*}})
// CHECK: [[SLOT:%.*]] = getelementptr ptr, ptr [[BUFFERS]], i32 2
// CHECK: [[SCRATCH:%.*]] = load ptr, ptr [[SLOT]]
// CHECK: [[OFFSET:%.*]] = mul i64 [[FIRST]], 80064
// CHECK: [[MINE:%.*]] = getelementptr i8, ptr [[SCRATCH]], i64 [[OFFSET]]
// Nothing else is derived from the scratch of all.
// CHECK-NOT: ptr [[SCRATCH]],
// CHECK: getelementptr float, ptr [[MINE]]
// CHECK-NOT: ptr [[SCRATCH]],
// CHECK: ret void
train.program @p {
  train.input @x : tensor<2000x20000xf32>
  train.output prediction @y : tensor<2000x20000xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2000x20000xf32>
    %y = nn.softmax %x axis 1 : tensor<2000x20000xf32>
    train.write %y, @y : tensor<2000x20000xf32>
  }
}
