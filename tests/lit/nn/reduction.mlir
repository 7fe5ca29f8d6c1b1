// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<?x8x4xf32, #nn.dims<batch, _, _>>)
    -> (tensor<8xf32>, tensor<?x1x4xf32, #nn.dims<batch, _, _>>, tensor<f32>) {
  // CHECK: nn.sum %{{.*}} axes [0, 2] : tensor<?x8x4xf32, #nn.dims<batch, _, _>>
  %0 = nn.sum %x axes [0, 2] : tensor<?x8x4xf32, #nn.dims<batch, _, _>>
  // CHECK: nn.mean %{{.*}} axes [1] keepdims : tensor<?x8x4xf32, #nn.dims<batch, _, _>>
  %1 = nn.mean %x axes [1] keepdims : tensor<?x8x4xf32, #nn.dims<batch, _, _>>
  // CHECK: nn.reduce_max %{{.*}} axes [0]
  %2 = nn.reduce_max %0 axes [0] : tensor<8xf32>
  // CHECK: nn.reduce_min %{{.*}} axes [0] keepdims
  %3 = nn.reduce_min %0 axes [0] keepdims : tensor<8xf32>
  // CHECK: nn.prod %{{.*}} axes [0]
  %4 = nn.prod %3 axes [0] : tensor<1xf32>
  return %0, %1, %4 : tensor<8xf32>, tensor<?x1x4xf32, #nn.dims<batch, _, _>>, tensor<f32>
}

// CHECK-LABEL: @positions
func.func @positions(%x: tensor<?x10xf32, #nn.dims<batch, _>>)
    -> (tensor<?xi64, #nn.dims<batch>>, tensor<1x10xi64>) {
  // CHECK: nn.argmax %{{.*}} axis 1 : tensor<?x10xf32, #nn.dims<batch, _>>
  %0 = nn.argmax %x axis 1 : tensor<?x10xf32, #nn.dims<batch, _>>
  // CHECK: nn.argmin %{{.*}} axis 0 keepdims last :
  %1 = nn.argmin %x axis 0 keepdims last : tensor<?x10xf32, #nn.dims<batch, _>>
  return %0, %1 : tensor<?xi64, #nn.dims<batch>>, tensor<1x10xi64>
}
