// An epilogue that computes functions is a long chain of instructions. On Intel's cores it follows its tile, for all vectors
// of a row at once; on others it runs inside the next tile's reduction. Where an operand is read across the vectors, it does
// not run side by side.
// DEFINE: %{cpu} =
// DEFINE: %{compile} = dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-layout=%{cpu} --dlc-fuse --dlc-schedule-cpu=%{cpu}
// REDEFINE: %{cpu} = cpu=znver5
// RUN: %{compile} | FileCheck %s --check-prefix=AMD
// REDEFINE: %{cpu} = cpu=icelake-server
// RUN: %{compile} | FileCheck %s

// CHECK: rows = 6, vectors = 4> reduction = <unroll = 2> epilogue = <side_by_side = true>>
// AMD: rows = 8, vectors = 2> epilogue = <pipeline = 2>>
train.program @gelu {
  train.input @x : tensor<64x256xf32>
  train.input @w : tensor<256x128xf32>
  train.output prediction @y : tensor<64x128xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<64x256xf32>
    %w = train.read @w : tensor<256x128xf32>
    %0 = nn.matmul %x, %w : tensor<64x256xf32>, tensor<256x128xf32>
    %1 = nn.gelu %0 : tensor<64x128xf32>
    train.write %1, @y : tensor<64x128xf32>
  }
}

// -----

// CHECK: rows = 6, vectors = 4> reduction = <unroll = 2>>
train.program @relu {
  train.input @x : tensor<64x256xf32>
  train.input @w : tensor<256x128xf32>
  train.output prediction @y : tensor<64x128xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<64x256xf32>
    %w = train.read @w : tensor<256x128xf32>
    %0 = nn.matmul %x, %w : tensor<64x256xf32>, tensor<256x128xf32>
    %1 = nn.relu %0 : tensor<64x128xf32>
    train.write %1, @y : tensor<64x128xf32>
  }
}
