// Operations that change nothing fold away, and only where that holds for every value.
// RUN: dlc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @neutral
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @neutral(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %minus_zero = nn.constant dense<-0.0> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<4xf32>
  %0 = nn.add %x, %minus_zero : tensor<4xf32>, tensor<f32>
  %1 = nn.sub %x, %zero : tensor<4xf32>, tensor<f32>
  %2 = nn.mul %one, %x : tensor<4xf32>, tensor<4xf32>
  %3 = nn.div %x, %one : tensor<4xf32>, tensor<4xf32>
  %4 = nn.pow %x, %one : tensor<4xf32>, tensor<4xf32>
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -0.0 + 0.0 is 0.0, NaN * 0.0 is NaN: these stay.
// CHECK-LABEL: @not_neutral
func.func @not_neutral(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  // CHECK: nn.add
  %0 = nn.add %x, %zero : tensor<4xf32>, tensor<f32>
  // CHECK: nn.mul
  %1 = nn.mul %x, %zero : tensor<4xf32>, tensor<f32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @integers
// CHECK-SAME: %[[X:.*]]: tensor<4xi64>
func.func @integers(%x: tensor<4xi64>) -> tensor<4xi64> {
  %zero = nn.constant dense<0> : tensor<i64>
  %0 = nn.add %zero, %x : tensor<i64>, tensor<4xi64>
  // CHECK: return %[[X]]
  return %0 : tensor<4xi64>
}

// What broadcasts is not the operand.
// CHECK-LABEL: @broadcast
func.func @broadcast(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  %one = nn.constant dense<1.0> : tensor<3x1xf32>
  // CHECK: nn.mul
  %0 = nn.mul %x, %one : tensor<4xf32>, tensor<3x1xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: @twice
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[P:.*]]: tensor<4xi1>
func.func @twice(%x: tensor<4xf32>, %p: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xf32>) {
  %0 = nn.neg %x : tensor<4xf32>
  %1 = nn.neg %0 : tensor<4xf32>
  %2 = nn.logical_not %p : tensor<4xi1>
  %3 = nn.logical_not %2 : tensor<4xi1>
  // CHECK: %[[R:.*]] = nn.relu %[[X]]
  %4 = nn.relu %x : tensor<4xf32>
  %5 = nn.relu %4 : tensor<4xf32>
  // CHECK: return %[[X]], %[[P]], %[[R]]
  return %1, %3, %5 : tensor<4xf32>, tensor<4xi1>, tensor<4xf32>
}

// A cast over a type that holds all numbers is none; over a smaller one it rounds.
// CHECK-LABEL: @casts
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>
func.func @casts(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>) {
  %0 = nn.cast %x to f64 : tensor<4xf32>
  %1 = nn.cast %0 to f32 : tensor<4xf64>
  // CHECK: %[[A:.*]] = nn.cast %[[X]] to bf16 : tensor<4xf32>
  %2 = nn.cast %0 to bf16 : tensor<4xf64>
  // CHECK: %[[B:.*]] = nn.cast %[[X]] to bf16
  // CHECK: %[[C:.*]] = nn.cast %[[B]] to f32
  %3 = nn.cast %x to bf16 : tensor<4xf32>
  %4 = nn.cast %3 to f32 : tensor<4xbf16>
  // CHECK: %[[D:.*]] = nn.cast %[[I]] to f64 : tensor<4xi32>
  %5 = nn.cast %i to i64 : tensor<4xi32>
  %6 = nn.cast %5 to f64 : tensor<4xi64>
  // CHECK: return %[[X]], %[[A]], %[[C]], %[[D]]
  return %1, %2, %4, %6 : tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>
}

// CHECK-LABEL: @select
// CHECK-SAME: %[[P:.*]]: tensor<4xi1>, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>
func.func @select(%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %no = nn.constant dense<false> : tensor<i1>
  %0 = nn.select %no, %a, %b : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  %1 = nn.select %p, %a, %a : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
  // CHECK: return %[[B]], %[[A]]
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @moves_nothing
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32, #nn.dims<batch, _>>
func.func @moves_nothing(%x: tensor<?x4xf32, #nn.dims<batch, _>>, %rng: tensor<2xi64>) -> tensor<?x4xf32, #nn.dims<batch, _>> {
  %0 = nn.transpose %x [0, 1] : tensor<?x4xf32, #nn.dims<batch, _>>
  %1 = nn.reshape %0 : tensor<?x4xf32, #nn.dims<batch, _>> -> tensor<?x4xf32, #nn.dims<batch, _>>
  %2 = nn.expand %1 : tensor<?x4xf32, #nn.dims<batch, _>> -> tensor<?x4xf32, #nn.dims<batch, _>>
  %3 = nn.slice %2 starts [0, 0] limits [-1, 4] steps [1, 1] : tensor<?x4xf32, #nn.dims<batch, _>>
  %4 = nn.pad constant %3 low [0, 0] high [0, 0] interior [0, 0] value 0.0 : tensor<?x4xf32, #nn.dims<batch, _>>
  %5 = nn.concat %4 axis 1 : tensor<?x4xf32, #nn.dims<batch, _>>
  %6 = nn.reverse %5 axes [] : tensor<?x4xf32, #nn.dims<batch, _>>
  %7 = nn.sum %6 axes [] : tensor<?x4xf32, #nn.dims<batch, _>>
  %8 = nn.dropout %7, %rng ratio 0.0 stream 0 : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<2xi64>
  // CHECK-NEXT: return %[[X]]
  return %8 : tensor<?x4xf32, #nn.dims<batch, _>>
}

// CHECK-LABEL: @chains
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
func.func @chains(%x: tensor<2x3x4xf32>) -> (tensor<24xf32>, tensor<3x4x2xf32>, tensor<5x2x3x4xf32>) {
  // CHECK: %[[R:.*]] = nn.reshape %[[X]] : tensor<2x3x4xf32> -> tensor<24xf32>
  %0 = nn.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %1 = nn.reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
  // CHECK: %[[T:.*]] = nn.transpose %[[X]] [1, 2, 0]
  %2 = nn.transpose %x [2, 0, 1] : tensor<2x3x4xf32>
  %3 = nn.transpose %2 [2, 0, 1] : tensor<4x2x3xf32>
  // CHECK: %[[E:.*]] = nn.expand %[[X]] : tensor<2x3x4xf32> -> tensor<5x2x3x4xf32>
  %4 = nn.expand %x : tensor<2x3x4xf32> -> tensor<1x2x3x4xf32>
  %5 = nn.expand %4 : tensor<1x2x3x4xf32> -> tensor<5x2x3x4xf32>
  // CHECK: return %[[R]], %[[T]], %[[E]]
  return %1, %3, %5 : tensor<24xf32>, tensor<3x4x2xf32>, tensor<5x2x3x4xf32>
}
