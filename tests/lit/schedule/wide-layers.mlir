// A layer from many values to few, and its gradient by them, for few rows. Forward, the columns of a column of tiles are
// more than the second-level cache holds, so the reduction is cut. Backward, thousands of columns are read across:
// each column of tiles is transposed on the stack just before its rows read it.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-layout=cpu=icelake-server --dlc-verify-layout --dlc-fuse --dlc-schedule-cpu=cpu=icelake-server --dlc-verify-schedule | FileCheck %s

// CHECK: train.kernel @matmul schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 6, vectors = 4> reduction = <unroll = 2> nest = [<loop = 2, size = 1856>]>, lanes = 16 split = <loop = 0, size = 6, chunks = 11>>)
// CHECK: train.kernel @matmul_0 schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 6, vectors = 4> reduction = <unroll = 2> packing = <columns = 1>>, lanes = 16 split = <loop = 1, size = 576, chunks = 16>>)
// CHECK-NOT: train.kernel @layout
// CHECK-LABEL: train.function predict
train.program @p {
  train.input @x : tensor<64x9216xf32>
  train.input @dy : tensor<64x128xf32>
  train.state parameter @w : tensor<9216x128xf32>
  train.output prediction @y : tensor<64x128xf32>
  train.output prediction @dx : tensor<64x9216xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<64x9216xf32>
    %w = train.read @w : tensor<9216x128xf32>
    %y = nn.matmul %x, %w : tensor<64x9216xf32>, tensor<9216x128xf32>
    train.write %y, @y : tensor<64x128xf32>
    %dy = train.read @dy : tensor<64x128xf32>
    %dx = nn.matmul %dy, %w transpose_b : tensor<64x128xf32>, tensor<9216x128xf32>
    train.write %dx, @dx : tensor<64x9216xf32>
  }
}
