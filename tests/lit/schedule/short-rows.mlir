// Rows of four elements would leave most lanes empty: they are worked on side by side. Long rows run
// along their own elements. Of rows that take few registers, two groups hide each other's latencies.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 | FileCheck %s

// CHECK-DAG: schedule(#cpu.schedule<#cpu.columns<vectors = 2 exchanged = [0, 1]>, lanes = 16
// CHECK-DAG: schedule(#cpu.schedule<#cpu.rows<unroll = 8 along = [1, 1, 1, -1, 1]>, lanes = 16
train.program @p {
  train.input @short : tensor<64x4xf32>
  train.input @long : tensor<64x40xf32>
  train.output prediction @y : tensor<64x4xf32>
  train.output prediction @z : tensor<64x40xf32>
  train.function predict @predict {
    %short = train.read @short : tensor<64x4xf32>
    %y = nn.softmax %short axis 1 : tensor<64x4xf32>
    train.write %y, @y : tensor<64x4xf32>
    %long = train.read @long : tensor<64x40xf32>
    %z = nn.softmax %long axis 1 : tensor<64x40xf32>
    train.write %z, @z : tensor<64x40xf32>
  }
}
