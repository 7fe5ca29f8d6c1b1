// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK-LABEL: func.func @reverse_sequence
func.func @reverse_sequence(%x: tensor<?x8x64xf32, #nn.dims<time, _, _>>, %lengths: tensor<8xi64>) -> tensor<?x8x64xf32, #nn.dims<time, _, _>> {
  // CHECK: nn.reverse_sequence %{{.*}}, %{{.*}} time 0 batch 1 : tensor<?x8x64xf32, #nn.dims<time, _, _>>, tensor<8xi64>
  %0 = nn.reverse_sequence %x, %lengths time 0 batch 1 : tensor<?x8x64xf32, #nn.dims<time, _, _>>, tensor<8xi64>
  return %0 : tensor<?x8x64xf32, #nn.dims<time, _, _>>
}
