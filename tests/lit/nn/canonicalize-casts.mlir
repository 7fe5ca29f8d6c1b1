// Casts to a smaller type go before what only moves elements, where all that is read is cast.
// RUN: dlc-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func @reshape
func.func @reshape(%x: tensor<8x6xf32>) -> (tensor<4x12xbf16>, tensor<4x12xbf16>) {
  // CHECK: %[[SMALL:.*]] = nn.cast %{{.*}} to bf16 : tensor<8x6xf32>
  // CHECK: %[[Y:.*]] = nn.reshape %[[SMALL]]
  // CHECK: return %[[Y]], %[[Y]]
  %y = nn.reshape %x : tensor<8x6xf32> -> tensor<4x12xf32>
  %a = nn.cast %y to bf16 : tensor<4x12xf32>
  %b = nn.cast %y to bf16 : tensor<4x12xf32>
  return %a, %b : tensor<4x12xbf16>, tensor<4x12xbf16>
}

// Something else reads the large elements.
// CHECK-LABEL: func @also_large
func.func @also_large(%x: tensor<8x6xf32>) -> (tensor<4x12xbf16>, tensor<4x12xf32>) {
  // CHECK: %[[Y:.*]] = nn.reshape
  // CHECK: nn.cast %[[Y]] to bf16
  %y = nn.reshape %x : tensor<8x6xf32> -> tensor<4x12xf32>
  %a = nn.cast %y to bf16 : tensor<4x12xf32>
  return %a, %y : tensor<4x12xbf16>, tensor<4x12xf32>
}

// A larger type is for what comes behind.
// CHECK-LABEL: func @larger
func.func @larger(%x: tensor<8x6xbf16>) -> tensor<4x12xf32> {
  // CHECK: %[[Y:.*]] = nn.reshape
  // CHECK: nn.cast %[[Y]] to f32
  %y = nn.reshape %x : tensor<8x6xbf16> -> tensor<4x12xbf16>
  %a = nn.cast %y to f32 : tensor<4x12xbf16>
  return %a : tensor<4x12xf32>
}

// What was small already is joined as it is.
// CHECK-LABEL: func @concat
func.func @concat(%x: tensor<8x6xbf16>, %y: tensor<8x3xf32>) -> tensor<8x9xbf16> {
  // CHECK: %[[SMALL:.*]] = nn.cast %arg1 to bf16
  // CHECK: %[[ALL:.*]] = nn.concat %arg0, %[[SMALL]] axis 1
  // CHECK: return %[[ALL]]
  %a = nn.cast %x to f32 : tensor<8x6xbf16>
  %all = nn.concat %a, %y axis 1 : tensor<8x6xf32>, tensor<8x3xf32>
  %small = nn.cast %all to bf16 : tensor<8x9xf32>
  return %small : tensor<8x9xbf16>
}

// Parts of a product are all that is read of it.
// CHECK-LABEL: func @slices
func.func @slices(%x: tensor<8x6xbf16>, %w: tensor<6x10xbf16>) -> (tensor<8x5xbf16>, tensor<8x5xbf16>) {
  // CHECK: %[[Y:.*]] = nn.matmul
  // CHECK: %[[SMALL:.*]] = nn.cast %[[Y]] to bf16 : tensor<8x10xf32>
  // CHECK-DAG: %[[LEFT:.*]] = nn.slice %[[SMALL]] starts [0, 0] limits [8, 5]
  // CHECK-DAG: %[[RIGHT:.*]] = nn.slice %[[SMALL]] starts [0, 5] limits [8, 10]
  // CHECK: return %[[LEFT]], %[[RIGHT]]
  %y = nn.matmul %x, %w wide : tensor<8x6xbf16>, tensor<6x10xbf16>
  %l = nn.slice %y starts [0, 0] limits [8, 5] steps [1, 1] : tensor<8x10xf32>
  %r = nn.slice %y starts [0, 5] limits [8, 10] steps [1, 1] : tensor<8x10xf32>
  %a = nn.cast %l to bf16 : tensor<8x5xf32>
  %b = nn.cast %r to bf16 : tensor<8x5xf32>
  return %a, %b : tensor<8x5xbf16>, tensor<8x5xbf16>
}

// One part is read as it is.
// CHECK-LABEL: func @other_part
func.func @other_part(%x: tensor<8x6xbf16>, %w: tensor<6x10xbf16>) -> (tensor<8x5xbf16>, tensor<8x5xf32>) {
  // CHECK: nn.matmul
  // CHECK-NEXT: nn.slice
  %y = nn.matmul %x, %w wide : tensor<8x6xbf16>, tensor<6x10xbf16>
  %l = nn.slice %y starts [0, 0] limits [8, 5] steps [1, 1] : tensor<8x10xf32>
  %r = nn.slice %y starts [0, 5] limits [8, 10] steps [1, 1] : tensor<8x10xf32>
  %a = nn.cast %l to bf16 : tensor<8x5xf32>
  return %a, %r : tensor<8x5xbf16>, tensor<8x5xf32>
}

// One part is read before the other is cast.
// CHECK-LABEL: func @read_early
func.func @read_early(%x: tensor<8x6xbf16>, %w: tensor<6x10xbf16>) -> (tensor<8x8xf32>, tensor<5x8xbf16>) {
  // CHECK: %[[Y:.*]] = nn.matmul
  // CHECK: %[[SMALL:.*]] = nn.cast %[[Y]] to bf16 : tensor<8x10xf32>
  // CHECK: %[[LEFT:.*]] = nn.slice %[[SMALL]] starts [0, 0] limits [8, 5]
  // CHECK: nn.matmul %[[LEFT]], %[[LEFT]]
  %y = nn.matmul %x, %w wide : tensor<8x6xbf16>, tensor<6x10xbf16>
  %l = nn.slice %y starts [0, 0] limits [8, 5] steps [1, 1] : tensor<8x10xf32>
  %a = nn.cast %l to bf16 : tensor<8x5xf32>
  %early = nn.matmul %a, %a transpose_b wide : tensor<8x5xbf16>, tensor<8x5xbf16>
  %r = nn.slice %y starts [0, 5] limits [8, 10] steps [1, 1] : tensor<8x10xf32>
  %moved = nn.reshape %r : tensor<8x5xf32> -> tensor<5x8xf32>
  %b = nn.cast %moved to bf16 : tensor<5x8xf32>
  return %early, %b : tensor<8x8xf32>, tensor<5x8xbf16>
}
