// Gradients of weights. 160 steps of 64 columns take 40 KB: more than the first-level cache of a Cascade Lake core, less
// than that of an Ice Lake core. Where they leave it, both operands are copied, and the copies fetch what lies far
// apart. Of 1024 steps they leave every cache. There, rows of 128 elements lie 512 bytes apart: on Intel's cores they
// are copied, as each step would take a cache line for the six elements of a tile.
// DEFINE: %{cpu} =
// DEFINE: %{compile} = dlc-opt %s --dlc-nn-to-linalg --dlc-layout="%{cpu}" --dlc-fuse --dlc-schedule-cpu="%{cpu}"
// REDEFINE: %{cpu} = cpu=cascadelake
// RUN: %{compile} | FileCheck %s --check-prefixes=NEAR-32,APART
// REDEFINE: %{cpu} = cpu=icelake-server
// RUN: %{compile} | FileCheck %s --check-prefixes=NEAR-48,APART
// REDEFINE: %{cpu} = cpu=znver5
// RUN: %{compile} | FileCheck %s --check-prefix=AMD

// NEAR-32: train.kernel @matmul schedule(#cpu.schedule<#cpu.contraction<{{.*}} packing = <{{.*}}rows = {{[0-9]}}, ahead = 8>
// NEAR-48: train.kernel @matmul schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 6, vectors = 4> reduction = <unroll = 2>>
// APART: train.kernel @matmul_0 schedule(#cpu.schedule<#cpu.contraction<{{.*}} packing = <{{.*}}rows = {{[0-9]}}, ahead = 8>
// AMD: train.kernel @matmul schedule
// AMD-NOT: packing = <{{.*}}ahead
// AMD: train.kernel @matmul_0 schedule
// AMD-NOT: packing = <{{.*}}{{rows|ahead}}
train.program @p {
  train.input @a : tensor<160x768xf32>
  train.input @b : tensor<160x1536xf32>
  train.input @c : tensor<1024x128xf32>
  train.input @d : tensor<1024x1536xf32>
  train.output prediction @near : tensor<768x1536xf32>
  train.output prediction @apart : tensor<128x1536xf32>
  train.function predict @predict {
    %a = train.read @a : tensor<160x768xf32>
    %b = train.read @b : tensor<160x1536xf32>
    %near = nn.matmul %a, %b transpose_a : tensor<160x768xf32>, tensor<160x1536xf32>
    train.write %near, @near : tensor<768x1536xf32>
    %c = train.read @c : tensor<1024x128xf32>
    %d = train.read @d : tensor<1024x1536xf32>
    %apart = nn.matmul %c, %d transpose_a : tensor<1024x128xf32>, tensor<1024x1536xf32>
    train.write %apart, @apart : tensor<128x1536xf32>
  }
}
