// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<?x10xf32, #nn.dims<batch, _>>) -> tensor<?x10xf32, #nn.dims<batch, _>> {
  // CHECK: nn.softmax %{{.*}} axis 1 : tensor<?x10xf32, #nn.dims<batch, _>>
  %0 = nn.softmax %x axis 1 : tensor<?x10xf32, #nn.dims<batch, _>>
  // CHECK: nn.softmax %{{.*}} axis 1 {empty_to_zero} : tensor<?x10xf32, #nn.dims<batch, _>>
  %zeros = nn.softmax %x axis 1 {empty_to_zero} : tensor<?x10xf32, #nn.dims<batch, _>>
  // CHECK: nn.log_softmax %{{.*}} axis 0 :
  %1 = nn.log_softmax %0 axis 0 : tensor<?x10xf32, #nn.dims<batch, _>>
  return %1 : tensor<?x10xf32, #nn.dims<batch, _>>
}

// Statistics keep the normalized dims with size 1.
// CHECK-LABEL: @layer_norm
func.func @layer_norm(%x: tensor<?x3x8xf32, #nn.dims<batch, _, _>>, %s: tensor<3x8xf32>, %b: tensor<3x8xf32>)
    -> (tensor<?x3x8xf32, #nn.dims<batch, _, _>>, tensor<?x1x1xf32, #nn.dims<batch, _, _>>) {
  // CHECK: nn.layer_norm %{{.*}}, %{{.*}}, %{{.*}} axis 1 epsilon 1.000000e-05 : tensor<?x3x8xf32, #nn.dims<batch, _, _>>, tensor<3x8xf32>, tensor<3x8xf32>
  %y, %mean, %rstd = nn.layer_norm %x, %s, %b axis 1 epsilon 1.0e-5
      : tensor<?x3x8xf32, #nn.dims<batch, _, _>>, tensor<3x8xf32>, tensor<3x8xf32>
  return %y, %rstd : tensor<?x3x8xf32, #nn.dims<batch, _, _>>, tensor<?x1x1xf32, #nn.dims<batch, _, _>>
}

// CHECK-LABEL: @batch_norm
func.func @batch_norm(%x: tensor<64x32xf32>, %s: tensor<32xf32>) -> (tensor<64x32xf32>, tensor<32xf32>) {
  // CHECK: nn.batch_norm %{{.*}}, %{{.*}}, %{{.*}} epsilon 1.000000e-05 : tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>
  %y, %mean, %variance = nn.batch_norm %x, %s, %s epsilon 1.0e-5 : tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>
  // CHECK: nn.batch_norm_inference %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} epsilon 1.000000e-05 : tensor<64x32xf32>,
  %z = nn.batch_norm_inference %y, %s, %s, %mean, %variance epsilon 1.0e-5
      : tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
  return %z, %variance : tensor<64x32xf32>, tensor<32xf32>
}
