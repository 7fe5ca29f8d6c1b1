// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<64x784xf32>, %b: tensor<784x256xf32>) -> tensor<64x256xf32> {
  // CHECK: nn.matmul %{{.*}}, %{{.*}} : tensor<64x784xf32>, tensor<784x256xf32>
  %0 = nn.matmul %a, %b : tensor<64x784xf32>, tensor<784x256xf32>
  return %0 : tensor<64x256xf32>
}

// CHECK-LABEL: @transposed
func.func @transposed(%a: tensor<?x64xf32, #nn.dims<batch, _>>, %b: tensor<256x?xf32, #nn.dims<_, batch>>)
    -> tensor<64x256xf32> {
  // CHECK: nn.matmul %{{.*}}, %{{.*}} transpose_a transpose_b :
  %0 = nn.matmul %a, %b transpose_a transpose_b
      : tensor<?x64xf32, #nn.dims<batch, _>>, tensor<256x?xf32, #nn.dims<_, batch>>
  return %0 : tensor<64x256xf32>
}

// Leading dims broadcast.
// CHECK-LABEL: @batches
func.func @batches(%a: tensor<?x1x3x4xf32, #nn.dims<batch, _, _, _>>, %b: tensor<8x4x5xf32>)
    -> tensor<?x8x3x5xf32, #nn.dims<batch, _, _, _>> {
  %0 = nn.matmul %a, %b : tensor<?x1x3x4xf32, #nn.dims<batch, _, _, _>>, tensor<8x4x5xf32>
  return %0 : tensor<?x8x3x5xf32, #nn.dims<batch, _, _, _>>
}

// Sums of low operands as they are.
// CHECK-LABEL: @wide
func.func @wide(%a: tensor<4x6xbf16>, %b: tensor<5x6xbf16>, %c: tensor<4x6xtf32>, %d: tensor<5x6xtf32>)
    -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xbf16>) {
  // CHECK: nn.matmul %{{.*}}, %{{.*}} transpose_b wide : tensor<4x6xbf16>, tensor<5x6xbf16>
  %0 = nn.matmul %a, %b transpose_b wide : tensor<4x6xbf16>, tensor<5x6xbf16>
  // CHECK: nn.matmul %{{.*}}, %{{.*}} transpose_b wide : tensor<4x6xtf32>, tensor<5x6xtf32>
  %1 = nn.matmul %c, %d transpose_b wide : tensor<4x6xtf32>, tensor<5x6xtf32>
  %2 = nn.matmul %a, %b transpose_b : tensor<4x6xbf16>, tensor<5x6xbf16>
  return %0, %1, %2 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xbf16>
}
