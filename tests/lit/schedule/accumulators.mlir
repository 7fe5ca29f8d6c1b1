// Where results are few, each is summed up in several accumulators. How many depends on the operation alone: not on
// the target, and not on what follows it in its kernel.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 | FileCheck %s
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v3 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v3 | FileCheck %s
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout="triple=aarch64-linux-gnu cpu=neoverse-n1" --dlc-fuse --dlc-schedule-cpu="triple=aarch64-linux-gnu cpu=neoverse-n1" | FileCheck %s

// CHECK: train.kernel @sum_relu {{.*}}#cpu.columns<vectors = {{[0-9]+}} accumulators = [4, 1]>
// CHECK: train.kernel @matmul {{.*}}#cpu.contraction<tile = <lane = 1, row = 0, rows = 4, vectors = {{[0-9]+}}> reduction = <accumulators = 2>>
// Few terms; many results:
// CHECK: train.kernel @sum {{.*}}#cpu.columns<vectors = {{[0-9]+}}>
// CHECK: train.kernel @sum_0 {{.*}}#cpu.columns<vectors = {{[0-9]+}}>
train.program @p {
  train.input @x : tensor<500x16xf32>
  train.input @a : tensor<500x4xf32>
  train.input @few : tensor<63x16xf32>
  train.input @wide : tensor<500x160xf32>
  train.output prediction @r : tensor<16xf32>
  train.output prediction @p : tensor<4x16xf32>
  train.output prediction @z : tensor<16xf32>
  train.output prediction @w : tensor<160xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<500x16xf32>
    %s = nn.sum %x axes [0] : tensor<500x16xf32>
    %r = nn.relu %s : tensor<16xf32>
    train.write %r, @r : tensor<16xf32>
    %a = train.read @a : tensor<500x4xf32>
    %p = nn.matmul %a, %x transpose_a : tensor<500x4xf32>, tensor<500x16xf32>
    train.write %p, @p : tensor<4x16xf32>
    %few = train.read @few : tensor<63x16xf32>
    %z = nn.sum %few axes [0] : tensor<63x16xf32>
    train.write %z, @z : tensor<16xf32>
    %wide = train.read @wide : tensor<500x160xf32>
    %w = nn.sum %wide axes [0] : tensor<500x160xf32>
    train.write %w, @w : tensor<160xf32>
  }
}
