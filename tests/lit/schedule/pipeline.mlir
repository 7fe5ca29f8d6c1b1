// An update after a weight gradient runs inside the reduction of the next tile, where that is long enough; an
// epilogue that only computes runs after its own reduction. On Intel's cores, the update is cut behind its square root: the
// first stage writes the averages, so these must not take the weight's place, which the second stage still reads.
// DEFINE: %{cpu} =
// DEFINE: %{optimizer} = adam
// DEFINE: %{compile} = dlc-opt %s --dlc-resolve-modes --dlc-recipe="set=optimizer=%{optimizer}" --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-layout=%{cpu} --dlc-fuse --dlc-schedule-cpu=%{cpu}
// REDEFINE: %{cpu} = cpu=x86-64-v4
// RUN: %{compile} | FileCheck %s
// REDEFINE: %{cpu} = cpu=icelake-server
// RUN: %{compile} | FileCheck %s --check-prefix=INTEL
// REDEFINE: %{optimizer} = sgd
// RUN: %{compile} | FileCheck %s --check-prefix=SGD

// CHECK-DAG: train.kernel @matmul_adam schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2>>,
// CHECK-DAG: train.kernel @matmul_add_relu schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2>>,
// CHECK-DAG: train.kernel @matmul_adam_0 schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> epilogue = <pipeline = 2>>,
// INTEL-DAG: train.kernel @matmul_adam_0 schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> reduction = <unroll = 2> epilogue = <pipeline = 2, stages = 2>>, lanes = 16 inplace = [5, 0, 8, 0, 5, 1, 8, 1, 3, 2, 5, 2, 8, 2]>)
// Nothing follows a square root.
// SGD: train.kernel @matmul_plain_sgd_0
// SGD-NOT: stages
train.program @p {
  train.state parameter @w : tensor<48x32xf32> = dense<0.1>
  train.state parameter @b : tensor<32xf32> = dense<0.1>
  train.state parameter @v : tensor<48x32xf32> = dense<0.1>
  train.input @x : tensor<64x48xf32>
  train.input @z : tensor<8x48xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x48xf32>
    %w = train.read @w : tensor<48x32xf32>
    %b = train.read @b : tensor<32xf32>
    %0 = nn.matmul %x, %w : tensor<64x48xf32>, tensor<48x32xf32>
    %1 = nn.add %0, %b : tensor<64x32xf32>, tensor<32xf32>
    %2 = nn.relu %1 : tensor<64x32xf32>
    %3 = nn.sum %2 axes [0, 1] : tensor<64x32xf32>
    // Eight rows are a reduction of eight steps: too few for the sixteen vectors of a tile.
    %z = train.read @z : tensor<8x48xf32>
    %v = train.read @v : tensor<48x32xf32>
    %4 = nn.matmul %z, %v : tensor<8x48xf32>, tensor<48x32xf32>
    %5 = nn.relu %4 : tensor<8x32xf32>
    %6 = nn.sum %5 axes [0, 1] : tensor<8x32xf32>
    %loss = nn.add %3, %6 : tensor<f32>, tensor<f32>
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
  }
}
