// A scatter goes to the rows that the indices name, with vectors along the rows; the rows are split among chunks, no
// more of them than pay for looking at all indices. Along the last dim there is nothing for vectors.
// RUN: dlc-opt %s --split-input-file --dlc-nn-to-linalg --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 --dlc-verify-schedule | FileCheck %s

// CHECK: train.kernel @scatter_add schedule(#cpu.schedule<#cpu.scatter<loop = 0 lane = 1>, lanes = 16 split = <loop = 0, size = 786, chunks = 64>>)
train.program @words {
  train.input @ids : tensor<8192xi64>
  train.input @u : tensor<8192x768xf32>
  train.output prediction @y : tensor<50257x768xf32>
  train.function predict @predict {
    %ids = train.read @ids : tensor<8192xi64>
    %u = train.read @u : tensor<8192x768xf32>
    %y = nn.scatter_add %ids, %u axis 0 : tensor<8192xi64>, tensor<8192x768xf32> -> tensor<50257x768xf32>
    train.write %y, @y : tensor<50257x768xf32>
  }
}

// -----

// CHECK: train.kernel @scatter_add schedule(#cpu.schedule<#cpu.scatter<loop = 0>, lanes = 1 split = <loop = 0, size = 10000, chunks = 2>>)
train.program @counts {
  train.input @ids : tensor<16384xi64>
  train.input @u : tensor<16384xf32>
  train.output prediction @y : tensor<20000xf32>
  train.function predict @predict {
    %ids = train.read @ids : tensor<16384xi64>
    %u = train.read @u : tensor<16384xf32>
    %y = nn.scatter_add %ids, %u axis 0 : tensor<16384xi64>, tensor<16384xf32> -> tensor<20000xf32>
    train.write %y, @y : tensor<20000xf32>
  }
}

// -----

// CHECK: train.kernel @scatter_add schedule(#cpu.schedule<#cpu.scatter<loop = 1>, lanes = 1 split = <loop = 1,
train.program @last {
  train.input @ids : tensor<70xi64>
  train.input @u : tensor<33x70xf32>
  train.output prediction @y : tensor<33x515xf32>
  train.function predict @predict {
    %ids = train.read @ids : tensor<70xi64>
    %u = train.read @u : tensor<33x70xf32>
    %y = nn.scatter_add %ids, %u axis 1 : tensor<70xi64>, tensor<33x70xf32> -> tensor<33x515xf32>
    train.write %y, @y : tensor<33x515xf32>
  }
}
