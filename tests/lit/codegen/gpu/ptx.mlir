// Kernels become PTX of the oldest version that knows the GPU. Products are fused multiply-adds of what lies in shared
// memory, and what follows them runs where the sum is; nothing else is fused, and numbers next to zero become zero.
// RUN: dlc compile %s --target=nvptx --gpu=sm_80 --emit=ptx | FileCheck %s
// RUN: dlc compile %s --target=nvptx --gpu=sm_90 --emit=ptx | FileCheck %s --check-prefix=NEWER

// CHECK: .version 7.0
// CHECK-NEXT: .target sm_80
// NEWER: .version 7.8
// NEWER-NEXT: .target sm_90
// CHECK-NOT: .version
// CHECK: .visible .entry dlc_matmul_add_exp(
// CHECK: .maxntid 256
// CHECK-DAG: .shared .align 16
// CHECK-DAG: cp.async.cg.shared.global
// CHECK-DAG: ld.shared.v2.b32
// CHECK-DAG: bar.sync
// CHECK-DAG: fma.rn.ftz.f32
// CHECK-DAG: add.rn.ftz.f32
// CHECK-DAG: st.global.v2.b32
train.program @p {
  train.state parameter @w : tensor<64x10xf32> = dense<0.5>
  train.state parameter @b : tensor<10xf32> = dense<1.0>
  train.input @x : tensor<16x64xf32>
  train.output prediction @y : tensor<16x10xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<16x64xf32>
    %w = train.read @w : tensor<64x10xf32>
    %0 = nn.matmul %x, %w : tensor<16x64xf32>, tensor<64x10xf32>
    %b = train.read @b : tensor<10xf32>
    %1 = nn.add %0, %b : tensor<16x10xf32>, tensor<10xf32>
    %y = nn.exp %1 : tensor<16x10xf32>
    train.write %y, @y : tensor<16x10xf32>
  }
}
