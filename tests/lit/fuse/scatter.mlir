// A scatter is a kernel of its own: what makes its updates and what reads its result go through their loops in order,
// while it goes where the indices say.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s

// CHECK: train.kernel @tanh
// CHECK: train.kernel @scatter_add attributes {shared = 2 : i64}
// CHECK: train.kernel @relu
// CHECK: train.function
train.program @p {
  train.input @ids : tensor<64xi64>
  train.input @u : tensor<64x32xf32>
  train.output prediction @y : tensor<1000x32xf32>
  train.function predict @predict {
    %ids = train.read @ids : tensor<64xi64>
    %u = train.read @u : tensor<64x32xf32>
    %0 = nn.tanh %u : tensor<64x32xf32>
    %1 = nn.scatter_add %ids, %0 axis 0 : tensor<64xi64>, tensor<64x32xf32> -> tensor<1000x32xf32>
    %y = nn.relu %1 : tensor<1000x32xf32>
    train.write %y, @y : tensor<1000x32xf32>
  }
}
