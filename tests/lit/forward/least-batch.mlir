// An open dim that alone says how many values a channel has takes no size of 1 in training; where each row has several, it may.
// RUN: dlc-opt %s --dlc-resolve-modes | FileCheck %s

// CHECK-LABEL: train.program @rows
// CHECK: train.dim open @batch = 8 least 2
train.program @rows {
  train.dim open @batch = 8
  train.state parameter @scale : tensor<4xf32>
  train.state parameter @bias : tensor<4xf32>
  train.state buffer @mean : tensor<4xf32>
  train.state buffer @var : tensor<4xf32>
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x4xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
    %s = train.read @scale : tensor<4xf32>
    %b = train.read @bias : tensor<4xf32>
    %y = train.batch_norm %x, %s, %b running @mean, @var momentum 0.9 epsilon 1.0e-5
        : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<4xf32>, tensor<4xf32>
    train.write %y, @y : tensor<?x4xf32, #nn.dims<batch, _>>
  }
}

// CHECK-LABEL: train.program @places
// CHECK: train.dim open @batch = 8{{$}}
train.program @places {
  train.dim open @batch = 8
  train.state parameter @scale : tensor<4xf32>
  train.state parameter @bias : tensor<4xf32>
  train.state buffer @mean : tensor<4xf32>
  train.state buffer @var : tensor<4xf32>
  train.input @x : tensor<?x4x3xf32, #nn.dims<batch, _, _>>
  train.output prediction @y : tensor<?x4x3xf32, #nn.dims<batch, _, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x4x3xf32, #nn.dims<batch, _, _>>
    %s = train.read @scale : tensor<4xf32>
    %b = train.read @bias : tensor<4xf32>
    %y = train.batch_norm %x, %s, %b running @mean, @var momentum 0.9 epsilon 1.0e-5
        : tensor<?x4x3xf32, #nn.dims<batch, _, _>>, tensor<4xf32>, tensor<4xf32>
    train.write %y, @y : tensor<?x4x3xf32, #nn.dims<batch, _, _>>
  }
}
