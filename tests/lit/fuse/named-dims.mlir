// Kernels keep the names of dynamic dims; loops of differently named dims are not one.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s

// CHECK: train.kernel @relu attributes {arg_dims = [#nn.dims<"4*batch">, #nn.dims<"4*batch">]
// CHECK: train.dim_size "4*batch"
// CHECK: train.kernel @relu_0 attributes {arg_dims = [#nn.dims<"4*time">, #nn.dims<"4*time">]
train.program @p {
  train.dim @batch = 64
  train.dim @time = 64
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @z : tensor<?x4xf32, #nn.dims<time, _>>
  train.output prediction @a : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @b : tensor<?x4xf32, #nn.dims<time, _>>
  train.function predict @predict {
    %x = train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
    %z = train.read @z : tensor<?x4xf32, #nn.dims<time, _>>
    %a = nn.relu %x : tensor<?x4xf32, #nn.dims<batch, _>>
    %b = nn.relu %z : tensor<?x4xf32, #nn.dims<time, _>>
    train.write %a, @a : tensor<?x4xf32, #nn.dims<batch, _>>
    train.write %b, @b : tensor<?x4xf32, #nn.dims<time, _>>
  }
}
