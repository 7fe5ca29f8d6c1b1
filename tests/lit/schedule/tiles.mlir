// Tiles fit the registers, and work is cut into chunks of whole tiles only where it is worth a thread.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 | FileCheck %s --check-prefix=V4
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v3 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-layout="triple=aarch64-linux-gnu cpu=neoverse-n1" --dlc-fuse --dlc-schedule-cpu="triple=aarch64-linux-gnu cpu=neoverse-n1" | FileCheck %s --check-prefix=NEON

// V4-DAG: schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> prefetch = <rows = true, columns = 32>>, lanes = 16 split = <loop = 1, size = 32, chunks = 8>
// V4-DAG: schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 4, vectors = 1>>, lanes = 16>
// V3-DAG: schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 6, vectors = 2> prefetch = <rows = true, columns = 32>>, lanes = 8 split = <loop = 1, size = 16, chunks = 16>
// Four lanes, and as many registers as AVX-512 has:
// NEON-DAG: schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> prefetch = <rows = true, columns = 32>>, lanes = 4 split = <loop = 1, size = 8, chunks = 32>
// NEON-DAG: schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 4, vectors = 2>>, lanes = 4>
train.program @p {
  train.input @x : tensor<64x784xf32>
  train.input @w : tensor<784x256xf32>
  train.input @a : tensor<4x8xf32>
  train.input @b : tensor<8x10xf32>
  train.output prediction @y : tensor<64x256xf32>
  train.output prediction @z : tensor<4x10xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<64x784xf32>
    %w = train.read @w : tensor<784x256xf32>
    %y = nn.matmul %x, %w : tensor<64x784xf32>, tensor<784x256xf32>
    train.write %y, @y : tensor<64x256xf32>
    %a = train.read @a : tensor<4x8xf32>
    %b = train.read @b : tensor<8x10xf32>
    %z = nn.matmul %a, %b : tensor<4x8xf32>, tensor<8x10xf32>
    train.write %z, @z : tensor<4x10xf32>
  }
}
