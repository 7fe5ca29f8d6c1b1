// While a round is multiplied, copies bring the next ones: groups of them, which threads wait for before they meet.
// Where the operand ends, copies of no bytes give zeros. Elements that no copy can bring go through registers, one round
// ahead.
// RUN: split-file %s %t
// RUN: dlc compile %t/wide.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=WIDE
// RUN: dlc compile %t/edges.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=EDGES
// RUN: dlc compile %t/registers.mlir --target=nvptx --precision=bf16 --emit=ptx | FileCheck %s --check-prefix=REGISTERS --implicit-check-not=cp.async
// RUN: dlc compile %t/wide.mlir --target=nvptx --gpu-code=simt --emit=llvm | FileCheck %s --check-prefix=SIMT

// Four stages: three rounds are on their way before the first one. All sizes are multiples of the tile's, so no copy
// has a size of its own. Threads read four elements at once.
// WIDE: .visible .entry dlc_matmul(
// WIDE: .shared .align 16 .b8 dlc_matmul_left[16384]
// WIDE: cp.async.cg.shared.global [%rd{{[0-9]+}}], [%rd{{[0-9]+}}], 16;
// WIDE: cp.async.cg.shared.global [%rd{{[0-9]+}}], [%rd{{[0-9]+}}], 16;
// WIDE: cp.async.commit_group
// WIDE: cp.async.commit_group
// WIDE: cp.async.commit_group
// WIDE: cp.async.commit_group
// WIDE: ld.shared.v4.b32
// WIDE-NOT: ld.shared.b32
// WIDE-NOT: st.shared
// WIDE-NOT: ld.global
// WIDE: .pragma "nounroll";
// WIDE: cp.async.wait_group 2;
// WIDE: bar.sync
// WIDE-NOT: bar.sync
// SIMT-NOT: llvm.nvvm
//--- wide.mlir
train.program @p {
  train.input @x : tensor<1024x512xf32>
  train.input @w : tensor<512x1024xf32>
  train.output prediction @y : tensor<1024x1024xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<1024x512xf32>
    %w = train.read @w : tensor<512x1024xf32>
    %y = nn.matmul %x, %w : tensor<1024x512xf32>, tensor<512x1024xf32>
    train.write %y, @y : tensor<1024x1024xf32>
  }
}

// EDGES: .visible .entry dlc_matmul(
// EDGES: selp.b32 [[SIZE:%r[0-9]+]], 4, 0,
// EDGES: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 4, [[SIZE]];
// EDGES-NOT: ld.global
//--- edges.mlir
train.program @p {
  train.input @x : tensor<33x65xf32>
  train.input @w : tensor<65x31xf32>
  train.output prediction @y : tensor<33x31xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<33x65xf32>
    %w = train.read @w : tensor<65x31xf32>
    %y = nn.matmul %x, %w : tensor<33x65xf32>, tensor<65x31xf32>
    train.write %y, @y : tensor<33x31xf32>
  }
}

// REGISTERS: .visible .entry dlc_matmul(
// REGISTERS-DAG: ld.global.nc.b16
// REGISTERS-DAG: st.shared.b16
// REGISTERS-DAG: mma.sync
// REGISTERS-DAG: bar.sync
// REGISTERS-NOT: bar.sync
//--- registers.mlir
train.program @p {
  train.input @x : tensor<33x651xf32>
  train.input @w : tensor<651x31xf32>
  train.output prediction @y : tensor<33x31xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<33x651xf32>
    %w = train.read @w : tensor<651x31xf32>
    %y = nn.matmul %x, %w : tensor<33x651xf32>, tensor<651x31xf32>
    train.write %y, @y : tensor<33x31xf32>
  }
}
