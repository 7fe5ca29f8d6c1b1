// Products of bf16 in large tiles are those of four warps in code for sm_90a, and in no other. A library for sm_90a alone
// asks for more shared memory than variables may have.
// RUN: rm -rf %t && dlc compile %s --target=nvptx --gpu=sm_80,sm_90a --precision=bf16 --emit=ptx -o %t && ls %t | FileCheck %s --check-prefix=FILES
// FILES: p.sm_80.ptx
// FILES-NEXT: p.sm_90a.ptx
// RUN: FileCheck %s --check-prefix=BOTH --input-file=%t/p.sm_90a.ptx
// RUN: FileCheck %s --check-prefix=OTHER --input-file=%t/p.sm_80.ptx --implicit-check-not=wgmma
// RUN: dlc compile %s --target=nvptx --gpu=sm_90a --precision=bf16 --emit=ptx | FileCheck %s --check-prefix=ALONE
// RUN: dlc compile %s --target=nvptx --gpu=sm_90a --precision=bf16 --emit=schedule | FileCheck %s --check-prefix=SCHEDULE
// RUN: dlc compile %s --target=nvptx --gpu=sm_80,sm_90a --precision=bf16 --emit=schedule | FileCheck %s --check-prefix=SHARED

// OTHER: mma.sync.aligned.m16n8k16

// BOTH: .target sm_90a
// BOTH: .shared .align 1024 .b8 dlc_matmul_left[24576]
// BOTH-DAG: cp.async.wait_group
// BOTH-DAG: fence.proxy.async.shared::cta
// BOTH-DAG: wgmma.fence.sync.aligned
// The left operand lies along its steps, the right one does not.
// BOTH-DAG: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, adds, 1, 1, 0, 1
// BOTH-DAG: wgmma.commit_group.sync.aligned
// BOTH-DAG: wgmma.wait_group.sync.aligned 0

// ALONE: .extern .shared .align 1024 .b8 dlc_matmul_shared[]
// ALONE: wgmma.mma_async

// Where blocks have a multiprocessor each, rounds are longer.
// SCHEDULE: steps = 64 warp_rows = 64 warp_columns = 64 stages = 4
// SHARED: steps = 32 warp_rows = 64 warp_columns = 64 stages = 3
train.program @p {
  train.input @x : tensor<1280x512xf32>
  train.input @w : tensor<512x1280xf32>
  train.output prediction @y : tensor<1280x1280xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<1280x512xf32>
    %w = train.read @w : tensor<512x1280xf32>
    %y = nn.matmul %x, %w : tensor<1280x512xf32>, tensor<512x1280xf32>
    train.write %y, @y : tensor<1280x1280xf32>
  }
}
