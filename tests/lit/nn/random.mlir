// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK-LABEL: @dropout
func.func @dropout(%x: tensor<64x256xf32>, %rng: tensor<2xi64>) -> tensor<64x256xf32> {
  // CHECK: nn.dropout %{{.*}}, %{{.*}} ratio 2.000000e-01 stream 3 : tensor<64x256xf32>, tensor<2xi64>
  %0 = nn.dropout %x, %rng ratio 0.2 stream 3 : tensor<64x256xf32>, tensor<2xi64>
  return %0 : tensor<64x256xf32>
}

// CHECK-LABEL: @random_uniform
func.func @random_uniform(%rng: tensor<2xi64>) -> tensor<64x256xf32> {
  // CHECK: nn.random_uniform %{{.*}} stream 3 : tensor<2xi64> -> tensor<64x256xf32>
  %0 = nn.random_uniform %rng stream 3 : tensor<2xi64> -> tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}
