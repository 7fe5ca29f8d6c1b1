// Transposes, scatters and convolutions.
// RUN: split-file %s %t
// RUN: dlc compile %t/transpose.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=TRANSPOSE
// RUN: dlc compile %t/scatter.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=SCATTER
// RUN: dlc compile %t/conv.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=CONV

// A square of 32 by 33 elements in shared memory, and one barrier.
// TRANSPOSE: .visible .entry dlc_transpose(
// TRANSPOSE: .shared .align 16 .b8 dlc_transpose_square[4224]
// TRANSPOSE: st.shared.b32
// TRANSPOSE: bar.sync
// TRANSPOSE: ld.shared.b32
// TRANSPOSE-NOT: bar.sync
//--- transpose.mlir
train.program @p {
  train.input @x : tensor<100x70xf32>
  train.output prediction @y : tensor<70x100xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<100x70xf32>
    %y = nn.transpose %x [1, 0] : tensor<100x70xf32>
    train.write %y, @y : tensor<70x100xf32>
  }
}

// Sums at computed positions: a block lists the steps that go to its rows, in order, and each thread adds to its own
// column, so that nothing depends on which comes first. All 64 steps are one list.
// SCATTER: .visible .entry dlc_scatter_add(
// SCATTER-DAG: .shared .align 16 .b8 dlc_scatter_add_counts[1024]
// SCATTER-DAG: .shared .align 16 .b8 dlc_scatter_add_list[8192]
// SCATTER: ld.global.nc.b64
// SCATTER: bar.sync
// SCATTER: st.shared.b64
// SCATTER: add.rn.ftz.f32
// SCATTER-NOT: {{atom|red\.}}
// SCATTER-NOT: bar.sync
//--- scatter.mlir
train.program @p {
  train.input @ids : tensor<64xi64>
  train.input @u : tensor<64x16xf32>
  train.output prediction @y : tensor<100x16xf32>
  train.function forward @forward {
    %ids = train.read @ids : tensor<64xi64>
    %u = train.read @u : tensor<64x16xf32>
    %y = nn.scatter_add %ids, %u axis 0 : tensor<64xi64>, tensor<64x16xf32> -> tensor<100x16xf32>
    train.write %y, @y : tensor<100x16xf32>
  }
}

// A convolution is a product of matrices whose positions in the image are computed.
// CONV: .visible .entry dlc_conv(
// CONV-DAG: .shared .align 16 .b8 dlc_conv_left
// CONV-DAG: .shared .align 16 .b8 dlc_conv_right
// CONV-DAG: cp.async.ca.shared.global
// CONV-DAG: bar.sync
// CONV-DAG: fma.rn.ftz.f32
//--- conv.mlir
train.program @p {
  train.input @x : tensor<4x3x16x16xf32>
  train.input @w : tensor<20x3x3x3xf32>
  train.output prediction @y : tensor<4x20x14x14xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4x3x16x16xf32>
    %w = train.read @w : tensor<20x3x3x3xf32>
    %y = nn.conv %x, %w strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<4x3x16x16xf32>, tensor<20x3x3x3xf32>
    train.write %y, @y : tensor<4x20x14x14xf32>
  }
}
