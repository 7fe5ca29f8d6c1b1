// Barriers stand where a thread needs what another one has written, and nowhere else.
// RUN: split-file %s %t
// RUN: dlc compile %t/short.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=SHORT
// RUN: dlc compile %t/long.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=LONG
// RUN: dlc compile %t/sum.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=SUM
// RUN: dlc compile %t/long_sum.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=LONGSUM

// One round of steps: nothing overwrites what was read.
// SHORT: .visible .entry dlc_matmul(
// SHORT-COUNT-1: bar.sync
// SHORT-NOT: bar.sync
//--- short.mlir
train.program @p {
  train.input @x : tensor<64x16xf32>
  train.input @w : tensor<16x64xf32>
  train.output prediction @y : tensor<64x64xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x16xf32>
    %w = train.read @w : tensor<16x64xf32>
    %y = nn.matmul %x, %w : tensor<64x16xf32>, tensor<16x64xf32>
    train.write %y, @y : tensor<64x64xf32>
  }
}

// Several rounds: one barrier before the products of each.
// LONG: .visible .entry dlc_matmul(
// LONG-COUNT-1: bar.sync
// LONG-NOT: bar.sync
//--- long.mlir
train.program @p {
  train.input @x : tensor<64x160xf32>
  train.input @w : tensor<160x64xf32>
  train.output prediction @y : tensor<64x64xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x160xf32>
    %w = train.read @w : tensor<160x64xf32>
    %y = nn.matmul %x, %w : tensor<64x160xf32>, tensor<160x64xf32>
    train.write %y, @y : tensor<64x64xf32>
  }
}

// The 32 partial sums of a warp are added up in five rounds, without memory.
// SUM: .visible .entry dlc_sum(
// SUM-NOT: bar.sync
// SUM-COUNT-5: shfl.sync.bfly
// SUM-NOT: bar.sync
//--- sum.mlir
train.program @p {
  train.input @x : tensor<512xf32>
  train.output prediction @y : tensor<1xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<512xf32>
    %y = nn.sum %x axes [0] keepdims : tensor<512xf32>
    train.write %y, @y : tensor<1xf32>
  }
}

// Those of four warps, in two rounds in shared memory before. Then all threads take the sum, of which one writes it.
// LONGSUM: .visible .entry dlc_sum(
// LONGSUM-COUNT-2: bar.sync
// LONGSUM-COUNT-5: shfl.sync.bfly
// LONGSUM-COUNT-1: bar.sync
// LONGSUM-NOT: bar.sync
//--- long_sum.mlir
train.program @p {
  train.input @x : tensor<2048xf32>
  train.output prediction @y : tensor<1xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2048xf32>
    %y = nn.sum %x axes [0] keepdims : tensor<2048xf32>
    train.write %y, @y : tensor<1xf32>
  }
}
