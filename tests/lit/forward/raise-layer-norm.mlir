// Formulas of layer normalization become the whole operation.
// RUN: dlc-opt %s --dlc-raise | FileCheck %s

// CHECK-LABEL: func.func @quotient
func.func @quotient(%x: tensor<2x3x4xf32>, %scale: tensor<4xf32>, %bias: tensor<4xf32>) -> tensor<2x3x4xf32> {
  // CHECK-NEXT: %[[Y:[a-z0-9]+]], %{{.+}}, %{{.+}} = nn.layer_norm %arg0, %arg1, %arg2 axis 2 epsilon 9.99999
  // CHECK-NEXT: return %[[Y]]
  %epsilon = nn.constant dense<1.0e-5> : tensor<f32>
  %mean = nn.mean %x axes [2] keepdims : tensor<2x3x4xf32>
  %d = nn.sub %x, %mean : tensor<2x3x4xf32>, tensor<2x3x1xf32>
  %square = nn.mul %d, %d : tensor<2x3x4xf32>, tensor<2x3x4xf32>
  %variance = nn.mean %square axes [2] keepdims : tensor<2x3x4xf32>
  %0 = nn.add %variance, %epsilon : tensor<2x3x1xf32>, tensor<f32>
  %1 = nn.sqrt %0 : tensor<2x3x1xf32>
  %2 = nn.div %d, %1 : tensor<2x3x4xf32>, tensor<2x3x1xf32>
  %3 = nn.mul %2, %scale : tensor<2x3x4xf32>, tensor<4xf32>
  %4 = nn.add %3, %bias : tensor<2x3x4xf32>, tensor<4xf32>
  return %4 : tensor<2x3x4xf32>
}

// Over two dims, by the reciprocal of the root.
// CHECK-LABEL: func.func @product
func.func @product(%x: tensor<2x3x4xf32>, %scale: tensor<3x4xf32>, %bias: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  // CHECK-NEXT: nn.layer_norm %arg0, %arg1, %arg2 axis 1 epsilon
  // CHECK-NEXT: return
  %epsilon = nn.constant dense<1.0e-5> : tensor<f32>
  %mean = nn.mean %x axes [1, 2] keepdims : tensor<2x3x4xf32>
  %d = nn.sub %x, %mean : tensor<2x3x4xf32>, tensor<2x1x1xf32>
  %square = nn.mul %d, %d : tensor<2x3x4xf32>, tensor<2x3x4xf32>
  %variance = nn.mean %square axes [1, 2] keepdims : tensor<2x3x4xf32>
  %0 = nn.add %epsilon, %variance : tensor<f32>, tensor<2x1x1xf32>
  %1 = nn.rsqrt %0 : tensor<2x1x1xf32>
  %2 = nn.mul %1, %d : tensor<2x1x1xf32>, tensor<2x3x4xf32>
  %3 = nn.mul %scale, %2 : tensor<3x4xf32>, tensor<2x3x4xf32>
  %4 = nn.add %bias, %3 : tensor<3x4xf32>, tensor<2x3x4xf32>
  return %4 : tensor<2x3x4xf32>
}

// Statistics of other dims, and a scale of one element, are other functions.
// CHECK-LABEL: func.func @others
func.func @others(%x: tensor<4x4xf32>, %one: tensor<1xf32>, %bias: tensor<4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-NOT: nn.layer_norm
  %epsilon = nn.constant dense<1.0e-5> : tensor<f32>
  %mean = nn.mean %x axes [0] keepdims : tensor<4x4xf32>
  %d = nn.sub %x, %mean : tensor<4x4xf32>, tensor<1x4xf32>
  %square = nn.mul %d, %d : tensor<4x4xf32>, tensor<4x4xf32>
  %variance = nn.mean %square axes [0] keepdims : tensor<4x4xf32>
  %0 = nn.add %variance, %epsilon : tensor<1x4xf32>, tensor<f32>
  %1 = nn.sqrt %0 : tensor<1x4xf32>
  %2 = nn.div %d, %1 : tensor<4x4xf32>, tensor<1x4xf32>
  %3 = nn.mul %2, %bias : tensor<4x4xf32>, tensor<4xf32>
  %4 = nn.add %3, %bias : tensor<4x4xf32>, tensor<4xf32>
  %mean1 = nn.mean %x axes [1] keepdims : tensor<4x4xf32>
  %d1 = nn.sub %x, %mean1 : tensor<4x4xf32>, tensor<4x1xf32>
  %square1 = nn.mul %d1, %d1 : tensor<4x4xf32>, tensor<4x4xf32>
  %variance1 = nn.mean %square1 axes [1] keepdims : tensor<4x4xf32>
  %5 = nn.add %variance1, %epsilon : tensor<4x1xf32>, tensor<f32>
  %6 = nn.sqrt %5 : tensor<4x1xf32>
  %7 = nn.div %d1, %6 : tensor<4x4xf32>, tensor<4x1xf32>
  %8 = nn.mul %7, %one : tensor<4x4xf32>, tensor<1xf32>
  %9 = nn.add %8, %bias : tensor<4x4xf32>, tensor<4xf32>
  // CHECK: return
  return %4, %9 : tensor<4x4xf32>, tensor<4x4xf32>
}
