// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK-LABEL: @views
func.func @views(%x: tensor<?x28x28xf32, #nn.dims<batch, _, _>>) -> tensor<784x?xf32, #nn.dims<_, batch>> {
  // CHECK: nn.reshape %{{.*}} : tensor<?x28x28xf32, #nn.dims<batch, _, _>> -> tensor<?x784xf32, #nn.dims<batch, _>>
  %0 = nn.reshape %x : tensor<?x28x28xf32, #nn.dims<batch, _, _>> -> tensor<?x784xf32, #nn.dims<batch, _>>
  // CHECK: nn.transpose %{{.*}} [1, 0] : tensor<?x784xf32, #nn.dims<batch, _>>
  %1 = nn.transpose %0 [1, 0] : tensor<?x784xf32, #nn.dims<batch, _>>
  return %1 : tensor<784x?xf32, #nn.dims<_, batch>>
}

// CHECK-LABEL: @expand
func.func @expand(%x: tensor<1x4xf32>) -> tensor<?x3x4xf32, #nn.dims<batch, _, _>> {
  // CHECK: nn.expand %{{.*}} : tensor<1x4xf32> -> tensor<?x3x4xf32, #nn.dims<batch, _, _>>
  %0 = nn.expand %x : tensor<1x4xf32> -> tensor<?x3x4xf32, #nn.dims<batch, _, _>>
  return %0 : tensor<?x3x4xf32, #nn.dims<batch, _, _>>
}

// CHECK-LABEL: @concat
func.func @concat(%a: tensor<?x3xf32, #nn.dims<batch, _>>, %b: tensor<?x5xf32, #nn.dims<batch, _>>)
    -> tensor<?x11xf32, #nn.dims<batch, _>> {
  // CHECK: nn.concat %{{.*}}, %{{.*}}, %{{.*}} axis 1 :
  %0 = nn.concat %a, %b, %a axis 1
      : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<?x5xf32, #nn.dims<batch, _>>, tensor<?x3xf32, #nn.dims<batch, _>>
  return %0 : tensor<?x11xf32, #nn.dims<batch, _>>
}

// A named dim is taken whole; the size of the other is ceil((9 - 2) / 3).
// CHECK-LABEL: @slice
func.func @slice(%x: tensor<?x10xf32, #nn.dims<batch, _>>) -> tensor<?x3xf32, #nn.dims<batch, _>> {
  // CHECK: nn.slice %{{.*}} starts [0, 2] limits [-1, 9] steps [1, 3] : tensor<?x10xf32, #nn.dims<batch, _>>
  %0 = nn.slice %x starts [0, 2] limits [-1, 9] steps [1, 3] : tensor<?x10xf32, #nn.dims<batch, _>>
  // CHECK: nn.reverse %{{.*}} axes [1] :
  %1 = nn.reverse %0 axes [1] : tensor<?x3xf32, #nn.dims<batch, _>>
  return %1 : tensor<?x3xf32, #nn.dims<batch, _>>
}

// CHECK-LABEL: @nothing_left
func.func @nothing_left(%x: tensor<10xf32>) -> tensor<0xf32> {
  %0 = nn.slice %x starts [4] limits [4] steps [1] : tensor<10xf32>
  return %0 : tensor<0xf32>
}

// CHECK-LABEL: @pad
func.func @pad(%x: tensor<?x4xf32, #nn.dims<batch, _>>) -> tensor<?x13xf32, #nn.dims<batch, _>> {
  // CHECK: nn.pad constant %{{.*}} low [0, 1] high [0, 2] interior [0, 2] value 0.000000e+00 :
  %0 = nn.pad constant %x low [0, 1] high [0, 2] interior [0, 2] value 0.0 : tensor<?x4xf32, #nn.dims<batch, _>>
  return %0 : tensor<?x13xf32, #nn.dims<batch, _>>
}

// CHECK-LABEL: @pad_modes
func.func @pad_modes(%x: tensor<4xf32>) -> tensor<14xf32> {
  // CHECK: nn.pad edge
  %0 = nn.pad edge %x low [1] high [2] interior [0] value 0.0 : tensor<4xf32>
  // CHECK: nn.pad reflect
  %1 = nn.pad reflect %0 low [6] high [0] interior [0] value 0.0 : tensor<7xf32>
  // CHECK: nn.pad wrap
  %2 = nn.pad wrap %1 low [1] high [0] interior [0] value 0.0 : tensor<13xf32>
  return %2 : tensor<14xf32>
}

// The dims of the indices stand in place of the axis.
// CHECK-LABEL: @gather
func.func @gather(%x: tensor<3x100x8xf32>, %i: tensor<?x2xi64, #nn.dims<batch, _>>)
    -> tensor<3x?x2x8xf32, #nn.dims<_, batch, _, _>> {
  // CHECK: nn.gather %{{.*}}, %{{.*}} axis 1 : tensor<3x100x8xf32>, tensor<?x2xi64, #nn.dims<batch, _>>
  %0 = nn.gather %x, %i axis 1 : tensor<3x100x8xf32>, tensor<?x2xi64, #nn.dims<batch, _>>
  // CHECK: nn.scatter_add %{{.*}}, %{{.*}} axis 1 : {{.*}} -> tensor<3x100x8xf32>
  %1 = nn.scatter_add %i, %0 axis 1
      : tensor<?x2xi64, #nn.dims<batch, _>>, tensor<3x?x2x8xf32, #nn.dims<_, batch, _, _>> -> tensor<3x100x8xf32>
  return %0 : tensor<3x?x2x8xf32, #nn.dims<_, batch, _, _>>
}

// CHECK-LABEL: @iota
func.func @iota() -> tensor<2x10xi64> {
  // CHECK: nn.iota axis 1 : tensor<2x10xi64>
  %0 = nn.iota axis 1 : tensor<2x10xi64>
  return %0 : tensor<2x10xi64>
}
