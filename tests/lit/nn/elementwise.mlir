// Elementwise operations parse and print; results have the shape to which the operands broadcast. Functions of one
// element without attributes, such as nn.exp, are tried in tests/unit/dialects/RegisteredOpsTest.cpp.
// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK-LABEL: @activations
func.func @activations(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: nn.leaky_relu %{{.*}} {alpha = 1.000000e-02 : f64} : tensor<4xf32>
  %0 = nn.leaky_relu %x {alpha = 0.01 : f64} : tensor<4xf32>
  // CHECK: nn.elu %{{.*}} {alpha = 1.000000e+00 : f64}
  %1 = nn.elu %0 {alpha = 1.0 : f64} : tensor<4xf32>
  // CHECK: nn.gelu %{{.*}} : tensor<4xf32>
  %2 = nn.gelu %1 : tensor<4xf32>
  // CHECK: nn.gelu %{{.*}} {tanh}
  %3 = nn.gelu %2 {tanh} : tensor<4xf32>
  // CHECK: nn.hard_sigmoid %{{.*}} {alpha = 2.000000e-01 : f64, beta = 5.000000e-01 : f64}
  %4 = nn.hard_sigmoid %3 {alpha = 0.2 : f64, beta = 0.5 : f64} : tensor<4xf32>
  // CHECK: nn.round %{{.*}} {straight_through} : tensor<4xf32>
  %5 = nn.round %4 {straight_through} : tensor<4xf32>
  // CHECK: nn.clip %{{.*}} {high = 6.000000e+00 : f64, low = 0.000000e+00 : f64}
  %6 = nn.clip %5 {low = 0.0 : f64, high = 6.0 : f64} : tensor<4xf32>
  return %6 : tensor<4xf32>
}

// CHECK-LABEL: @cast
func.func @cast(%x: tensor<?xi64, #nn.dims<batch>>) -> tensor<?xbf16, #nn.dims<batch>> {
  // CHECK: nn.cast %{{.*}} to bf16 : tensor<?xi64, #nn.dims<batch>>
  %0 = nn.cast %x to bf16 : tensor<?xi64, #nn.dims<batch>>
  return %0 : tensor<?xbf16, #nn.dims<batch>>
}

// Dims are aligned at the last one; a dim of size 1 is stretched, to a named dim too.
// CHECK-LABEL: @binary
func.func @binary(%a: tensor<?x1x8xf64, #nn.dims<batch, _, _>>, %b: tensor<3x1xf64>)
    -> tensor<?x3x8xf64, #nn.dims<batch, _, _>> {
  // CHECK: nn.add %{{.*}}, %{{.*}} : tensor<?x1x8xf64, #nn.dims<batch, _, _>>, tensor<3x1xf64>
  %0 = nn.add %a, %b : tensor<?x1x8xf64, #nn.dims<batch, _, _>>, tensor<3x1xf64>
  // CHECK: nn.sub %{{.*}}, %{{.*}} : tensor<3x1xf64>, tensor<?x3x8xf64, #nn.dims<batch, _, _>>
  %1 = nn.sub %b, %0 : tensor<3x1xf64>, tensor<?x3x8xf64, #nn.dims<batch, _, _>>
  // CHECK: nn.mul
  %2 = nn.mul %0, %1 : tensor<?x3x8xf64, #nn.dims<batch, _, _>>, tensor<?x3x8xf64, #nn.dims<batch, _, _>>
  // CHECK: nn.div
  %3 = nn.div %2, %b : tensor<?x3x8xf64, #nn.dims<batch, _, _>>, tensor<3x1xf64>
  // CHECK: nn.pow
  %4 = nn.pow %3, %b : tensor<?x3x8xf64, #nn.dims<batch, _, _>>, tensor<3x1xf64>
  // CHECK: nn.max
  %5 = nn.max %4, %b : tensor<?x3x8xf64, #nn.dims<batch, _, _>>, tensor<3x1xf64>
  // CHECK: nn.min
  %6 = nn.min %5, %b : tensor<?x3x8xf64, #nn.dims<batch, _, _>>, tensor<3x1xf64>
  return %6 : tensor<?x3x8xf64, #nn.dims<batch, _, _>>
}

// CHECK-LABEL: @constant
func.func @constant() -> tensor<2xf32> {
  // CHECK: nn.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @truth
func.func @truth(%a: tensor<64xf32>, %b: tensor<f32>, %p: tensor<4x1xi1>) -> tensor<4x64xf32> {
  // CHECK: nn.compare eq %{{.*}}, %{{.*}} : tensor<64xf32>, tensor<f32>
  %0 = nn.compare eq %a, %b : tensor<64xf32>, tensor<f32>
  // CHECK: nn.compare ne
  %1 = nn.compare ne %a, %b : tensor<64xf32>, tensor<f32>
  // CHECK: nn.compare lt
  %2 = nn.compare lt %a, %b : tensor<64xf32>, tensor<f32>
  // CHECK: nn.compare le
  %3 = nn.compare le %a, %b : tensor<64xf32>, tensor<f32>
  // CHECK: nn.compare gt
  %4 = nn.compare gt %a, %b : tensor<64xf32>, tensor<f32>
  // CHECK: nn.compare ge
  %5 = nn.compare ge %a, %b : tensor<64xf32>, tensor<f32>
  // CHECK: nn.logical_and %{{.*}}, %{{.*}} : tensor<64xi1>, tensor<4x1xi1>
  %6 = nn.logical_and %0, %p : tensor<64xi1>, tensor<4x1xi1>
  // CHECK: nn.logical_or
  %7 = nn.logical_or %6, %1 : tensor<4x64xi1>, tensor<64xi1>
  // CHECK: nn.logical_xor
  %8 = nn.logical_xor %7, %2 : tensor<4x64xi1>, tensor<64xi1>
  // CHECK: nn.logical_not %{{.*}} : tensor<4x64xi1>
  %9 = nn.logical_not %8 : tensor<4x64xi1>
  // CHECK: nn.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x64xi1>, tensor<64xf32>, tensor<f32>
  %10 = nn.select %9, %a, %b : tensor<4x64xi1>, tensor<64xf32>, tensor<f32>
  // CHECK: nn.fma %{{.*}}, %{{.*}}, %{{.*}} : tensor<f32>, tensor<64xf32>, tensor<4x64xf32>
  %fma = nn.fma %b, %a, %10 : tensor<f32>, tensor<64xf32>, tensor<4x64xf32>
  return %10 : tensor<4x64xf32>
}
