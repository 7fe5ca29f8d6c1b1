// Rows that operations hand to each other lie on the stack while they are short, in the arena where they are long.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 | FileCheck %s

// CHECK-DAG: schedule(#cpu.schedule<#cpu.rows<unroll = 8 along = [1, 1, 1, -1, 1]>, lanes = 16 split = <loop = 0, size = 1, chunks = 64> inplace = [0, 0]>)
// CHECK-DAG: schedule(#cpu.schedule<#cpu.rows<unroll = 8 along = [1, 1, 1, -1, 1]>, lanes = 16 split = <loop = 0, size = 1, chunks = 64> scratch = 80064
// Two rows of one kernel have a place each.
// CHECK-DAG: schedule(#cpu.schedule<#cpu.rows<{{.*}} scratch = 160128
train.program @p {
  train.input @x : tensor<64x20000xf32>
  train.input @z : tensor<64x100xf32>
  train.output prediction @y : tensor<64x20000xf32>
  train.output prediction @w : tensor<64x100xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<64x20000xf32>
    %y = nn.softmax %x axis 1 : tensor<64x20000xf32>
    train.write %y, @y : tensor<64x20000xf32>
    %z = train.read @z : tensor<64x100xf32>
    %w = nn.softmax %z axis 1 : tensor<64x100xf32>
    train.write %w, @w : tensor<64x100xf32>
  }
  train.function evaluate @evaluate {
    %x = train.read @x : tensor<64x20000xf32>
    %0 = nn.softmax %x axis 1 : tensor<64x20000xf32>
    %1 = nn.mul %0, %x : tensor<64x20000xf32>, tensor<64x20000xf32>
    %y = nn.softmax %1 axis 1 : tensor<64x20000xf32>
    train.write %y, @y : tensor<64x20000xf32>
  }
}
