// Every loss gives two scalars: the loss, and what a mean divides by.
// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK-LABEL: @pointwise
func.func @pointwise(%x: tensor<?x1xf64, #nn.dims<batch, _>>, %t: tensor<?x1xf64, #nn.dims<batch, _>>)
    -> (tensor<f64>, tensor<f64>) {
  // CHECK: nn.mse_loss mean %{{.*}}, %{{.*}} : tensor<?x1xf64, #nn.dims<batch, _>>, tensor<?x1xf64, #nn.dims<batch, _>>
  %0:2 = nn.mse_loss mean %x, %t : tensor<?x1xf64, #nn.dims<batch, _>>, tensor<?x1xf64, #nn.dims<batch, _>>
  // CHECK: nn.l1_loss sum
  %1:2 = nn.l1_loss sum %x, %t : tensor<?x1xf64, #nn.dims<batch, _>>, tensor<?x1xf64, #nn.dims<batch, _>>
  // CHECK: nn.huber_loss mean %{{.*}} {delta = 1.000000e+00 : f64}
  %2:2 = nn.huber_loss mean %x, %t {delta = 1.0 : f64} : tensor<?x1xf64, #nn.dims<batch, _>>, tensor<?x1xf64, #nn.dims<batch, _>>
  // CHECK: nn.bce_loss mean
  %3:2 = nn.bce_loss mean %x, %t : tensor<?x1xf64, #nn.dims<batch, _>>, tensor<?x1xf64, #nn.dims<batch, _>>
  // CHECK: nn.bce_with_logits_loss mean
  %4:2 = nn.bce_with_logits_loss mean %x, %t : tensor<?x1xf64, #nn.dims<batch, _>>, tensor<?x1xf64, #nn.dims<batch, _>>
  return %4#0, %4#1 : tensor<f64>, tensor<f64>
}

// CHECK-LABEL: @classes
func.func @classes(%x: tensor<?x10xf32, #nn.dims<batch, _>>, %labels: tensor<?xi64, #nn.dims<batch>>, %w: tensor<10xf32>)
    -> (tensor<f32>, tensor<f32>) {
  // CHECK: nn.softmax_cross_entropy mean %{{.*}}, %{{.*}} ignore_index -100 : tensor<?x10xf32, #nn.dims<batch, _>>, tensor<?xi64, #nn.dims<batch>>
  %0:2 = nn.softmax_cross_entropy mean %x, %labels ignore_index -100
      : tensor<?x10xf32, #nn.dims<batch, _>>, tensor<?xi64, #nn.dims<batch>>
  // CHECK: nn.softmax_cross_entropy sum %{{.*}}, %{{.*}} weights %{{.*}} ignore_index 0 {label_smoothing = 1.000000e-01 : f64} : {{.*}}, tensor<10xf32>
  %1:2 = nn.softmax_cross_entropy sum %x, %labels weights %w ignore_index 0 {label_smoothing = 0.1 : f64}
      : tensor<?x10xf32, #nn.dims<batch, _>>, tensor<?xi64, #nn.dims<batch>>, tensor<10xf32>
  // CHECK: nn.nll_loss mean %{{.*}}, %{{.*}} ignore_index -100 :
  %2:2 = nn.nll_loss mean %x, %labels ignore_index -100
      : tensor<?x10xf32, #nn.dims<batch, _>>, tensor<?xi64, #nn.dims<batch>>
  return %1#0, %1#1 : tensor<f32>, tensor<f32>
}

// Labels have the shape of x without its dim 1.
// CHECK-LABEL: @segmentation
func.func @segmentation(%x: tensor<4x10x8x8xf32>, %labels: tensor<4x8x8xi32>) -> tensor<f32> {
  // CHECK: nn.nll_loss
  %0:2 = nn.nll_loss mean %x, %labels ignore_index -100 : tensor<4x10x8x8xf32>, tensor<4x8x8xi32>
  return %0#0 : tensor<f32>
}
