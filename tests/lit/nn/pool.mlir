// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK-LABEL: @pooling
func.func @pooling(%x: tensor<?x6x28x28xf32, #nn.dims<batch, _, _, _>>)
    -> (tensor<?x6x14x15xf32, #nn.dims<batch, _, _, _>>, tensor<?x6x14x15xi32, #nn.dims<batch, _, _, _>>,
        tensor<?x6x13x13xf32, #nn.dims<batch, _, _, _>>) {
  // CHECK: %{{.*}}, %{{.*}} = nn.max_pool %{{.*}} kernel [2, 3] strides [2, 2] low [0, 1] high [0, 2] dilations [1, 1] : tensor<?x6x28x28xf32, #nn.dims<batch, _, _, _>>
  %y, %positions = nn.max_pool %x kernel [2, 3] strides [2, 2] low [0, 1] high [0, 2] dilations [1, 1]
      : tensor<?x6x28x28xf32, #nn.dims<batch, _, _, _>>
  // CHECK: nn.sum_pool %{{.*}} kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [2, 2] : tensor<?x6x28x28xf32, #nn.dims<batch, _, _, _>>
  %z = nn.sum_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [2, 2]
      : tensor<?x6x28x28xf32, #nn.dims<batch, _, _, _>>
  return %y, %positions, %z : tensor<?x6x14x15xf32, #nn.dims<batch, _, _, _>>,
      tensor<?x6x14x15xi32, #nn.dims<batch, _, _, _>>, tensor<?x6x13x13xf32, #nn.dims<batch, _, _, _>>
}

// The sizes of the images are not those of what the windows cover: the last position is in none.
// CHECK-LABEL: @unpooling
func.func @unpooling(%y: tensor<4x3x8xf64>, %positions: tensor<4x3x8xi32>)
    -> (tensor<4x3x17xf64>, tensor<4x3x17xf64>) {
  // CHECK: nn.sum_unpool %{{.*}} sizes [17] kernel [2] strides [2] low [0] high [0] dilations [1] : tensor<4x3x8xf64>
  %0 = nn.sum_unpool %y sizes [17] kernel [2] strides [2] low [0] high [0] dilations [1] : tensor<4x3x8xf64>
  // CHECK: nn.max_unpool %{{.*}}, %{{.*}} sizes [17] kernel [2] strides [2] low [0] high [0] dilations [1] : tensor<4x3x8xf64>, tensor<4x3x8xi32>
  %1 = nn.max_unpool %y, %positions sizes [17] kernel [2] strides [2] low [0] high [0] dilations [1]
      : tensor<4x3x8xf64>, tensor<4x3x8xi32>
  return %0, %1 : tensor<4x3x17xf64>, tensor<4x3x17xf64>
}

// CHECK-LABEL: @resampling
func.func @resampling(%x: tensor<4x2x5xf32>) -> tensor<4x3x5xf32> {
  // CHECK: nn.resample %{{.*}} axis 1 taps 2 positions [0, 0, 1, 0, 1, 1] weights [1.000000e+00, 5.000000e-01, 1.000000e+00, 0.000000e+00, 5.000000e-01, 0.000000e+00] : tensor<4x2x5xf32>
  %y = nn.resample %x axis 1 taps 2 positions [0, 0, 1, 0, 1, 1] weights [1.0, 0.5, 1.0, 0.0, 0.5, 0.0]
      : tensor<4x2x5xf32>
  return %y : tensor<4x3x5xf32>
}
