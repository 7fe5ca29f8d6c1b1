// Operations on small constants are computed; what is not exactly rounded, not finite or an error stays.
// RUN: dlc-opt %s --canonicalize | FileCheck %s

// An exporter's way to flatten: the shape, its tail's product, and a reshape by both.
// CHECK-LABEL: @shape_arithmetic
func.func @shape_arithmetic() -> (tensor<2xi64>, tensor<3xi64>) {
  %shape = nn.constant dense<[64, 28, 28]> : tensor<3xi64>
  %head = nn.slice %shape starts [0] limits [1] steps [1] : tensor<3xi64>
  %tail = nn.slice %shape starts [1] limits [3] steps [1] : tensor<3xi64>
  %product = nn.prod %tail axes [0] keepdims : tensor<2xi64>
  %0 = nn.concat %head, %product axis 0 : tensor<1xi64>, tensor<1xi64>
  %two = nn.constant dense<2> : tensor<i64>
  %1 = nn.div %shape, %two : tensor<3xi64>, tensor<i64>
  // CHECK-DAG: %[[A:.*]] = nn.constant dense<[64, 784]> : tensor<2xi64>
  // CHECK-DAG: %[[B:.*]] = nn.constant dense<[32, 14, 14]> : tensor<3xi64>
  // CHECK: return %[[A]], %[[B]]
  return %0, %1 : tensor<2xi64>, tensor<3xi64>
}

// CHECK-LABEL: @moves
func.func @moves() -> (tensor<3x2xi32>, tensor<2x3xi32>, tensor<2x2x1xi32>, tensor<2x2xi32>) {
  %x = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = nn.constant dense<[[0], [-1]]> : tensor<2x1xi64>
  %column = nn.constant dense<[[7], [8]]> : tensor<2x1xi32>
  %0 = nn.transpose %x [1, 0] : tensor<2x3xi32>
  %1 = nn.reverse %x axes [1] : tensor<2x3xi32>
  %2 = nn.gather %x, %i axis 1 : tensor<2x3xi32>, tensor<2x1xi64>
  %3 = nn.expand %column : tensor<2x1xi32> -> tensor<2x2xi32>
  // CHECK-DAG: nn.constant dense<{{\[}}[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  // CHECK-DAG: nn.constant dense<{{\[}}[3, 2, 1], [6, 5, 4]]> : tensor<2x3xi32>
  // CHECK-DAG: nn.constant dense<{{\[\[}}[1], [3]], {{\[}}[4], [6]]]> : tensor<2x2x1xi32>
  // CHECK-DAG: nn.constant dense<{{\[}}[7, 7], [8, 8]]> : tensor<2x2xi32>
  return %0, %1, %2, %3 : tensor<3x2xi32>, tensor<2x3xi32>, tensor<2x2x1xi32>, tensor<2x2xi32>
}

// CHECK-LABEL: @elementwise
func.func @elementwise() -> (tensor<2x2xf32>, tensor<2xi1>, tensor<2xf32>, tensor<2xi32>, tensor<2xi64>) {
  %a = nn.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %b = nn.constant dense<[0.5, -4.0]> : tensor<2xf32>
  // CHECK-DAG: nn.constant dense<{{\[}}[1.500000e+00, -3.000000e+00], [2.500000e+00, -2.000000e+00]]> : tensor<2x2xf32>
  %0 = nn.add %a, %b : tensor<2x1xf32>, tensor<2xf32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  // CHECK-DAG: nn.constant dense<[true, false]> : tensor<2xi1>
  %1 = nn.compare gt %b, %zero : tensor<2xf32>, tensor<f32>
  // CHECK-DAG: nn.constant dense<[5.000000e-01, 0.000000e+00]> : tensor<2xf32>
  %2 = nn.select %1, %b, %zero : tensor<2xi1>, tensor<2xf32>, tensor<f32>
  // Towards zero.
  // CHECK-DAG: nn.constant dense<[0, -4]> : tensor<2xi32>
  %3 = nn.cast %b to i32 : tensor<2xf32>
  // CHECK-DAG: nn.constant dense<[1, 0]> : tensor<2xi64>
  %4 = nn.cast %1 to i64 : tensor<2xi1>
  return %0, %1, %2, %3, %4 : tensor<2x2xf32>, tensor<2xi1>, tensor<2xf32>, tensor<2xi32>, tensor<2xi64>
}

// Bytes have no sign; what is converted to them is it modulo 256.
// CHECK-LABEL: @bytes
func.func @bytes() -> (tensor<3xf32>, tensor<3xi32>, tensor<3xi1>, tensor<3xui8>, tensor<2xui8>, tensor<2xui8>) {
  %a = nn.constant dense<[0, 128, 255]> : tensor<3xui8>
  %b = nn.constant dense<127> : tensor<ui8>
  %c = nn.constant dense<[-1, 300]> : tensor<2xi64>
  %d = nn.constant dense<[127.9, 255.0]> : tensor<2xf32>
  // CHECK-DAG: nn.constant dense<[0.000000e+00, 1.280000e+02, 2.550000e+02]> : tensor<3xf32>
  %0 = nn.cast %a to f32 : tensor<3xui8>
  // CHECK-DAG: nn.constant dense<[0, 128, 255]> : tensor<3xi32>
  %1 = nn.cast %a to i32 : tensor<3xui8>
  // CHECK-DAG: nn.constant dense<[false, true, true]> : tensor<3xi1>
  %2 = nn.compare gt %a, %b : tensor<3xui8>, tensor<ui8>
  // CHECK-DAG: nn.constant dense<[127, 128, 255]> : tensor<3xui8>
  %3 = nn.select %2, %a, %b : tensor<3xi1>, tensor<3xui8>, tensor<ui8>
  // CHECK-DAG: nn.constant dense<[255, 44]> : tensor<2xui8>
  %4 = nn.cast %c to ui8 : tensor<2xi64>
  // CHECK-DAG: nn.constant dense<[127, 255]> : tensor<2xui8>
  %5 = nn.cast %d to ui8 : tensor<2xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3xf32>, tensor<3xi32>, tensor<3xi1>, tensor<3xui8>, tensor<2xui8>, tensor<2xui8>
}

// f32 numbers are added as f32.
// CHECK-LABEL: @precision
func.func @precision() -> tensor<f32> {
  %a = nn.constant dense<16777216.0> : tensor<f32>
  %b = nn.constant dense<1.0> : tensor<f32>
  // CHECK: nn.constant dense<0x4B800000> : tensor<f32>
  %0 = nn.add %a, %b : tensor<f32>, tensor<f32>
  return %0 : tensor<f32>
}

// Counting by adding ones.
// CHECK-LABEL: @count
func.func @count() -> tensor<f32> {
  %one = nn.constant dense<1.0> : tensor<f32>
  %ones = nn.expand %one : tensor<f32> -> tensor<1000x1000xf32>
  // CHECK: nn.constant dense<1.000000e+06> : tensor<f32>
  %0 = nn.sum %ones axes [0, 1] : tensor<1000x1000xf32>
  return %0 : tensor<f32>
}

// Quotients by 0 and overflow are what the compiled code computes.
// CHECK-LABEL: @integer_quotients
func.func @integer_quotients() -> tensor<4xi32> {
  %a = nn.constant dense<[7, 0, -7, -2147483648]> : tensor<4xi32>
  %b = nn.constant dense<[0, 0, -1, -1]> : tensor<4xi32>
  // CHECK: nn.constant dense<[0, 0, 7, -2147483648]> : tensor<4xi32>
  %0 = nn.div %a, %b : tensor<4xi32>, tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: @stays
func.func @stays() -> (tensor<f32>, tensor<i32>, tensor<2xf32>, tensor<i32>, tensor<f32>) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  // CHECK-DAG: nn.div
  %0 = nn.div %one, %zero : tensor<f32>, tensor<f32>
  %large = nn.constant dense<1.0e20> : tensor<f32>
  // CHECK-DAG: nn.cast
  %1 = nn.cast %large to i32 : tensor<f32>
  %x = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK-DAG: nn.exp
  %2 = nn.exp %x : tensor<2xf32>
  %t = nn.constant dense<[1, 2]> : tensor<2xi32>
  %out_of_range = nn.constant dense<2> : tensor<i64>
  // CHECK-DAG: nn.gather
  %3 = nn.gather %t, %out_of_range axis 0 : tensor<2xi32>, tensor<i64>
  // CHECK-DAG: nn.sum
  %4 = nn.sum %x axes [0] : tensor<2xf32>
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<i32>, tensor<2xf32>, tensor<i32>, tensor<f32>
}

// A large table is not worth its bytes.
// CHECK-LABEL: @large
func.func @large() -> tensor<100x100xf32> {
  %row = nn.constant dense_resource<row> : tensor<100xf32>
  // CHECK: nn.add
  %one = nn.constant dense<1.0> : tensor<100x100xf32>
  %0 = nn.add %row, %one : tensor<100xf32>, tensor<100x100xf32>
  return %0 : tensor<100x100xf32>
}

{-#
  dialect_resources: {
    builtin: {
      row: "0x04000000"
    }
  }
#-}
