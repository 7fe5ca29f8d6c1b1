// What the table of costs chooses for each kind of CPU: the tile, whether rows are fetched ahead, and panels of the
// weight as wide as the tile.
// DEFINE: %{cpu} =
// DEFINE: %{compile} = dlc-opt %s --dlc-nn-to-linalg --dlc-layout="%{cpu}" --dlc-fuse --dlc-schedule-cpu="%{cpu}"
// REDEFINE: %{cpu} = cpu=znver5
// RUN: %{compile} | FileCheck %s --check-prefix=AMD
// REDEFINE: %{cpu} = cpu=znver4
// RUN: %{compile} | FileCheck %s --check-prefix=AMD
// REDEFINE: %{cpu} = cpu=x86-64-v4
// RUN: %{compile} | FileCheck %s --check-prefix=AMD
// REDEFINE: %{cpu} = cpu=graniterapids
// RUN: %{compile} | FileCheck %s --check-prefixes=INTEL,L2-2MB
// REDEFINE: %{cpu} = cpu=emeraldrapids
// RUN: %{compile} | FileCheck %s --check-prefixes=INTEL,L2-2MB
// REDEFINE: %{cpu} = cpu=icelake-server
// RUN: %{compile} | FileCheck %s --check-prefixes=INTEL,L2-1MB
// REDEFINE: %{cpu} = cpu=cascadelake
// RUN: %{compile} | FileCheck %s --check-prefixes=INTEL,L2-1MB
// REDEFINE: %{cpu} = cpu=znver3
// RUN: %{compile} | FileCheck %s --check-prefix=AVX2
// REDEFINE: %{cpu} = cpu=haswell
// RUN: %{compile} | FileCheck %s --check-prefix=AVX2
// REDEFINE: %{cpu} = triple=aarch64-linux-gnu cpu=neoverse-n1
// RUN: %{compile} | FileCheck %s --check-prefix=NEON
// REDEFINE: %{cpu} = cpu=x86-64
// RUN: %{compile} | FileCheck %s --check-prefix=SSE

// AMD-DAG: @w layout <[1, 0, 2], shape = [784, 8, 32]>
// AMD-DAG: #cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> prefetch = <rows = true>>, lanes = 16
// Too few columns for the whole tile: fewer vectors, more rows. Dropped elements: eight rows share random words, so
// that tiles of six rows decide before.
// INTEL-DAG: @w layout <[1, 0, 2], shape = [784, 4, 64]>
// INTEL-DAG: #cpu.contraction<tile = <lane = 1, row = 0, rows = 6, vectors = 4> reduction = <unroll = 2>>, lanes = 16
// INTEL-DAG: #cpu.contraction<tile = <lane = 1, row = 0, rows = 6, vectors = 4> reduction = <unroll = 2> epilogue = <masks = true>>, lanes = 16
// INTEL-DAG: #cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 3> reduction = <unroll = 2>>, lanes = 16
// A panel of 1024 steps takes an eighth of 2 MB; of 1 MB, half of the steps do, and the reduction is cut.
// L2-2MB-DAG: #cpu.contraction<tile = <lane = 1, row = 0, rows = 6, vectors = 4> reduction = <unroll = 2> packing = <columns = 1, rows = 0, ahead = 8>>
// L2-1MB-DAG: #cpu.contraction<tile = <lane = 1, row = 0, rows = 6, vectors = 4> reduction = <unroll = 2> nest = [<loop = 2, size = 512>, {{.*}}] packing = <columns = 1, rows = 2, ahead = 8>>
// AVX2-DAG: @w layout <[1, 0, 2], shape = [784, 16, 16]>
// AVX2-DAG: #cpu.contraction<tile = <lane = 1, row = 0, rows = 6, vectors = 2> prefetch = <rows = true>>, lanes = 8
// NEON-DAG: @w layout <[1, 0, 2], shape = [784, 32, 8]>
// NEON-DAG: #cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> prefetch = <rows = true>>, lanes = 4
// SSE-DAG: @w layout <[1, 0, 2], shape = [784, 32, 8]>
// SSE-DAG: #cpu.contraction<tile = <lane = 1, row = 0, rows = 6, vectors = 2> prefetch = <rows = true>>, lanes = 4
train.program @p {
  train.input @x : tensor<64x784xf32>
  train.state parameter @w : tensor<784x256xf32>
  train.state parameter @w2 : tensor<784x256xf32>
  train.state parameter @v : tensor<784x48xf32>
  train.state rng @rng : tensor<2xi64> = dense<0>
  train.input @a : tensor<1024x768xf32>
  train.input @b : tensor<1024x1536xf32>
  train.output prediction @product : tensor<768x1536xf32>
  train.output prediction @y : tensor<64x256xf32>
  train.output prediction @u : tensor<64x256xf32>
  train.output prediction @z : tensor<64x48xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<64x784xf32>
    %w = train.read @w : tensor<784x256xf32>
    %y = nn.matmul %x, %w : tensor<64x784xf32>, tensor<784x256xf32>
    %rng = train.read @rng : tensor<2xi64>
    %d = nn.dropout %y, %rng ratio 0.2 stream 0 : tensor<64x256xf32>, tensor<2xi64>
    train.write %d, @y : tensor<64x256xf32>
    %w2 = train.read @w2 : tensor<784x256xf32>
    %u = nn.matmul %x, %w2 : tensor<64x784xf32>, tensor<784x256xf32>
    train.write %u, @u : tensor<64x256xf32>
    %v = train.read @v : tensor<784x48xf32>
    %z = nn.matmul %x, %v : tensor<64x784xf32>, tensor<784x48xf32>
    train.write %z, @z : tensor<64x48xf32>
    %a = train.read @a : tensor<1024x768xf32>
    %b = train.read @b : tensor<1024x1536xf32>
    %product = nn.matmul %a, %b transpose_a : tensor<1024x768xf32>, tensor<1024x1536xf32>
    train.write %product, @product : tensor<768x1536xf32>
  }
}
