// A weight of 376 columns lies in no panels, and its rows lie apart: what caches do not fetch ahead by themselves.
// The forward product fetches them some steps before it reads them. The update fetches what it needs eight tiles
// before, as a sum over eight samples is short; with 64 samples, one tile is enough. On Intel's cores a prefetch
// costs as much as a load, and only the update fetches.
// RUN: dlc compile %s --optimizer=sgd --momentum=0.9 --cpu=znver4 --emit=schedule | FileCheck %s
// RUN: sed s/tensor.8x/tensor\<64x/g %s > %t.mlir
// RUN: dlc compile %t.mlir --optimizer=sgd --momentum=0.9 --cpu=znver4 --emit=schedule | FileCheck %s --check-prefix=MANY
// RUN: dlc compile %s --optimizer=sgd --momentum=0.9 --cpu=sapphirerapids --emit=schedule | FileCheck %s --check-prefix=INTEL
// RUN: dlc compile %s --optimizer=sgd --momentum=0.9 --cpu=znver4 --emit=llvm -o %t
// RUN: FileCheck %s --check-prefix=CODE < %t/p.matmul_relu_mul.ll

// CHECK: @matmul_relu_mul_compare_add_select schedule(#cpu.schedule<#cpu.contraction<{{.*}} prefetch = <{{(rows = true )?}}columns = 32>>,
// CHECK: @matmul_sgd schedule(#cpu.schedule<#cpu.contraction<{{.*}} prefetch = <epilogue = 8>>,
// MANY: @matmul_sgd schedule(#cpu.schedule<#cpu.contraction<{{.*}} prefetch = <epilogue = 1> epilogue = <pipeline = 2>>,
// INTEL-NOT: prefetch = <{{.*}}columns = 
// INTEL: @matmul_sgd schedule(#cpu.schedule<#cpu.contraction<{{.*}} prefetch = <epilogue = 8>>,

// Two vectors of a step lie in three lines; a row has 1504 bytes.
// CODE: [[AT:%.*]] = getelementptr i8, ptr {{.*}}, i64 48128
// CODE-NEXT: call void @llvm.prefetch.p0(ptr [[AT]]
// CODE-NEXT: [[SECOND:%.*]] = getelementptr i8, ptr {{.*}}, i64 48192
// CODE-NEXT: call void @llvm.prefetch.p0(ptr [[SECOND]]
// CODE-NEXT: [[END:%.*]] = getelementptr i8, ptr {{.*}}, i64 48252
// CODE-NEXT: call void @llvm.prefetch.p0(ptr [[END]]
train.program @p {
  train.state parameter @w : tensor<2048x376xf32> = dense<0.1>
  train.input @x : tensor<8x2048xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x2048xf32>
    %w = train.read @w : tensor<2048x376xf32>
    %0 = nn.matmul %x, %w : tensor<8x2048xf32>, tensor<2048x376xf32>
    %1 = nn.relu %0 : tensor<8x376xf32>
    %2 = nn.mul %1, %1 : tensor<8x376xf32>, tensor<8x376xf32>
    %loss = nn.sum %2 axes [0, 1] : tensor<8x376xf32>
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
  }
}
