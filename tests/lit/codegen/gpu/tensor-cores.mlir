// Operands lie in shared memory as in memory: ldmatrix turns those of bf16 whose steps do not lie side by side, and
// words of tf32 are read where they are. For this machine, lanes exchange words, and an emulator loads matrices.
// RUN: dlc compile %s --target=nvptx --gpu=sm_80 --precision=bf16 --emit=ptx | FileCheck %s --check-prefixes=CHECK,BF16
// RUN: dlc compile %s --target=nvptx --gpu=sm_80 --precision=tf32 --emit=ptx | FileCheck %s --check-prefixes=CHECK,TF32
// RUN: dlc compile %s --target=nvptx --gpu=sm_80 --emit=ptx | FileCheck %s --check-prefix=EXACT
// RUN: dlc compile %s --target=nvptx --gpu-code=simt --precision=bf16 --emit=llvm | FileCheck %s --check-prefix=SIMT

// CHECK: .target sm_80
// CHECK: .entry dlc_matmul_add(
// CHECK-DAG: cp.async.cg.shared.global
// BF16-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// BF16-DAG: ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16
// TF32-DAG: ld.shared.b32
// CHECK-DAG: bar.sync
// BF16-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// TF32-DAG: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-DAG: add.rn.ftz.f32
// CHECK-DAG: st.global.v2.b32
// EXACT-NOT: mma.sync
// EXACT: fma.rn.ftz.f32
// SIMT-NOT: llvm.nvvm
train.program @p {
  train.state parameter @w : tensor<64x40xf32> = dense<0.5>
  train.state parameter @b : tensor<40xf32> = dense<1.0>
  train.input @x : tensor<48x64xf32>
  train.output prediction @y : tensor<48x40xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<48x64xf32>
    %w = train.read @w : tensor<64x40xf32>
    %0 = nn.matmul %x, %w : tensor<48x64xf32>, tensor<64x40xf32>
    %b = train.read @b : tensor<40xf32>
    %y = nn.add %0, %b : tensor<48x40xf32>, tensor<40xf32>
    train.write %y, @y : tensor<48x40xf32>
  }
}
