// Sums down columns read long pieces of each row: as many vectors as half of the registers hold, in steps of nearly one
// size. Where threads share the columns, eight chunks remain. Bodies that need registers of their own, and work that
// sums up nothing, have four vectors.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,V4
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v3 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,V3

// Parts of rows are shared:
// V4: train.kernel @sum schedule(#cpu.schedule<#cpu.columns<vectors = 16>, lanes = 16 split = <loop = 0, size = 1, chunks = 64>>)
// V3: train.kernel @sum schedule(#cpu.schedule<#cpu.columns<vectors = 8>, lanes = 8 split = <loop = 0, size = 1, chunks = 64>>)
// V4: train.kernel @sum_0 {{.*}}#cpu.columns<vectors = 16>
// V3: train.kernel @sum_0 {{.*}}#cpu.columns<vectors = 8>
// Twenty vectors in two steps:
// V4: train.kernel @sum_1 {{.*}}#cpu.columns<vectors = 10>, lanes = 16 split = <loop = 0
// Columns are shared:
// V4: train.kernel @sum_3 schedule(#cpu.schedule<#cpu.columns<vectors = 8>, lanes = 16 split = <loop = 0, size = 128, chunks = 8>>)
// V3: train.kernel @sum_3 schedule(#cpu.schedule<#cpu.columns<vectors = 8>, lanes = 8 split = <loop = 0, size = 64, chunks = 16>>)
// CHECK: train.kernel @exp_sum {{.*}}#cpu.columns<vectors = 4>
// CHECK: train.kernel @relu {{.*}}#cpu.columns<vectors = 4>
train.program @p {
  train.input @a : tensor<4096x256xf32>
  train.input @b : tensor<4096x320xf32>
  train.input @c : tensor<4096x1024xf32>
  train.input @d : tensor<4096x1024xf32>
  train.output prediction @r : tensor<256xf32>
  train.output prediction @s : tensor<320xf32>
  train.output prediction @t : tensor<1024xf32>
  train.output prediction @u : tensor<1024xf32>
  train.output prediction @v : tensor<4096x1024xf32>
  train.function predict @predict {
    %a = train.read @a : tensor<4096x256xf32>
    %r = nn.sum %a axes [0] : tensor<4096x256xf32>
    train.write %r, @r : tensor<256xf32>
    %b = train.read @b : tensor<4096x320xf32>
    %s = nn.sum %b axes [0] : tensor<4096x320xf32>
    train.write %s, @s : tensor<320xf32>
    %c = train.read @c : tensor<4096x1024xf32>
    %t = nn.sum %c axes [0] : tensor<4096x1024xf32>
    train.write %t, @t : tensor<1024xf32>
    %d = train.read @d : tensor<4096x1024xf32>
    %e = nn.exp %d : tensor<4096x1024xf32>
    %u = nn.sum %e axes [0] : tensor<4096x1024xf32>
    train.write %u, @u : tensor<1024xf32>
    %v = nn.relu %c : tensor<4096x1024xf32>
    train.write %v, @v : tensor<4096x1024xf32>
  }
}
