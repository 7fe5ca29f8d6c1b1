// Encodings end here: sizes come from train.dim_size. A count of a named dim is no loop.
// RUN: dlc-opt %s --dlc-nn-to-linalg | FileCheck %s

// CHECK: %[[X:.*]] = train.read @x : tensor<?x4xf32>
// CHECK: %[[N:.*]] = train.dim_size "batch"
// CHECK: tensor.empty(%[[N]]) : tensor<?x4xf32>
// CHECK: linalg.generic {doc = "relu"
// CHECK: linalg.generic {doc = "sum"{{.*}}iterator_types = []}
// CHECK: %[[COUNT:.*]] = train.dim_size "batch"
// CHECK: arith.index_cast %[[COUNT]]
// CHECK: train.write %{{.*}}, @y : tensor<?x4xf32>
train.program @p {
  train.dim @batch = 64
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output loss_weight @n : tensor<f32>
  train.function predict @predict {
    %x = train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
    %y = nn.relu %x : tensor<?x4xf32, #nn.dims<batch, _>>
    %one = nn.constant dense<1.0> : tensor<f32>
    %ones = nn.expand %one : tensor<f32> -> tensor<?xf32, #nn.dims<batch>>
    %n = nn.sum %ones axes [0] : tensor<?xf32, #nn.dims<batch>>
    train.write %y, @y : tensor<?x4xf32, #nn.dims<batch, _>>
    train.write %n, @n : tensor<f32>
  }
}
