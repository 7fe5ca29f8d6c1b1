// The same kernel as code of this machine: numbers of threads, barriers and each access are calls of an emulator, whose
// table is the first argument. What a thread has for itself is not told.
// RUN: dlc compile %s --target=nvptx --gpu-code=simt --emit=llvm | FileCheck %s
// RUN: dlc compile %s --target=nvptx --gpu-code=simt --emit=llvm -o %t && ls %t | FileCheck %s --check-prefix=FILES

// CHECK-LABEL: define hidden void @p.gpu.sum(ptr %0, ptr
// CHECK: call i32 %{{[0-9]+}}(ptr nonnull %0, i32 0)
// CHECK: call void %{{[0-9]+}}(ptr nonnull %0, ptr %{{[0-9a-z]+}}, i32 4, i32 0)
// CHECK-NEXT: load float
// CHECK: call void %{{[0-9]+}}(ptr nonnull %0, i32 0)
// CHECK-NOT: llvm.nvvm
// CHECK: DLCSIMT3
// FILES: p.gpu.sum.ll
// FILES-NEXT: p.main.ll
train.program @p {
  train.input @x : tensor<2048xf32>
  train.output prediction @y : tensor<1xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2048xf32>
    %y = nn.sum %x axes [0] keepdims : tensor<2048xf32>
    train.write %y, @y : tensor<1xf32>
  }
}
