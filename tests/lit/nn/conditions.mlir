// Masks as exporters write them become comparisons of positions, by which something is selected.
// RUN: dlc-opt %s --canonicalize | FileCheck %s

// Ones and zeros that are compared with zero.
// CHECK-LABEL: func.func @compared
func.func @compared(%c: tensor<3xi1>, %x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi1>) {
  // CHECK-NEXT: %[[X:.+]] = nn.select %arg0, %arg2, %arg1
  // CHECK-NEXT: return %[[X]], %arg0
  %zero = nn.constant dense<0.0> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %number = nn.select %c, %one, %zero : tensor<3xi1>, tensor<f32>, tensor<f32>
  %hidden = nn.compare eq %number, %zero : tensor<3xf32>, tensor<f32>
  %r = nn.select %hidden, %x, %y : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>
  %same = nn.compare ne %number, %zero : tensor<3xf32>, tensor<f32>
  return %r, %same : tensor<3xf32>, tensor<3xi1>
}

// Truth values, cast or not.
// CHECK-LABEL: func.func @truth
func.func @truth(%c: tensor<3xi1>) -> (tensor<3xi1>, tensor<3xi1>) {
  // CHECK-NEXT: %[[NOT:.+]] = nn.logical_not %arg0
  // CHECK-NEXT: return %[[NOT]], %arg0
  %zero = nn.constant dense<0> : tensor<i64>
  %true = nn.constant dense<true> : tensor<i1>
  %number = nn.cast %c to i64 : tensor<3xi1>
  %a = nn.compare eq %number, %zero : tensor<3xi64>, tensor<i64>
  %b = nn.compare eq %c, %true : tensor<3xi1>, tensor<i1>
  return %a, %b : tensor<3xi1>, tensor<3xi1>
}

// Neither of both numbers is the one asked for, and one number may be no number.
// CHECK-LABEL: func.func @others
func.func @others(%c: tensor<3xi1>, %x: tensor<3xf32>) -> (tensor<3xi1>, tensor<3xi1>) {
  // CHECK: nn.compare eq
  // CHECK: nn.compare lt %arg1
  // CHECK: nn.logical_not
  %zero = nn.constant dense<0.0> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %number = nn.select %c, %one, %zero : tensor<3xi1>, tensor<f32>, tensor<f32>
  %a = nn.compare eq %number, %two : tensor<3xf32>, tensor<f32>
  %less = nn.compare lt %x, %zero : tensor<3xf32>, tensor<f32>
  %b = nn.logical_not %less : tensor<3xi1>
  return %a, %b : tensor<3xi1>, tensor<3xi1>
}

// CHECK-LABEL: func.func @negated
func.func @negated(%a: tensor<3xi64>, %b: tensor<3xi64>) -> tensor<3xi1> {
  // CHECK-NEXT: nn.compare gt %arg0, %arg1
  %le = nn.compare le %a, %b : tensor<3xi64>, tensor<3xi64>
  %not = nn.logical_not %le : tensor<3xi1>
  return %not : tensor<3xi1>
}

// Roots of numbers, as of the width of an attention's heads.
// CHECK-LABEL: func.func @root
func.func @root() -> tensor<1xf32> {
  // CHECK-NEXT: nn.constant dense<0.353553385> : tensor<1xf32>
  %width = nn.constant dense<8.0> : tensor<1xf32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %root = nn.sqrt %width : tensor<1xf32>
  %r = nn.div %one, %root : tensor<f32>, tensor<1xf32>
  return %r : tensor<1xf32>
}

// A triangle that is too large to be folded is no constant to those who read it either.
// CHECK-LABEL: func.func @large
func.func @large() -> tensor<65x65xf32> {
  // CHECK-NOT: dense<"0x
  // CHECK: nn.compare le
  // CHECK: nn.select
  %zero = nn.constant dense<0.0> : tensor<f32>
  %never = nn.constant dense<0xFF800000> : tensor<f32>
  %mask = nn.constant dense<"0x010000000000000006000000000000001C000000000000007800000000000000F001000000000000E007000000000000C01F000000000000807F00000000000000FF01000000000000FE07000000000000FC1F000000000000F87F000000000000F0FF010000000000E0FF070000000000C0FF1F000000000080FF7F000000000000FFFF010000000000FEFF070000000000FCFF1F0000000000F8FF7F0000000000F0FFFF0100000000E0FFFF0700000000C0FFFF1F0000000080FFFF7F0000000000FFFFFF0100000000FEFFFF0700000000FCFFFF1F00000000F8FFFF7F00000000F0FFFFFF01000000E0FFFFFF07000000C0FFFFFF1F00000080FFFFFF7F00000000FFFFFFFF01000000FEFFFFFF07000000FCFFFFFF1F000000F8FFFFFF7F000000F0FFFFFFFF010000E0FFFFFFFF070000C0FFFFFFFF1F000080FFFFFFFF7F000000FFFFFFFFFF010000FEFFFFFFFF070000FCFFFFFFFF1F0000F8FFFFFFFF7F0000F0FFFFFFFFFF0100E0FFFFFFFFFF0700C0FFFFFFFFFF1F0080FFFFFFFFFF7F0000FFFFFFFFFFFF0100FEFFFFFFFFFF0700FCFFFFFFFFFF1F00F8FFFFFFFFFF7F00F0FFFFFFFFFFFF01E0FFFFFFFFFFFF07C0FFFFFFFFFFFF1F80FFFFFFFFFFFF7F00FFFFFFFFFFFFFF01FEFFFFFFFFFFFF07FCFFFFFFFFFFFF1FF8FFFFFFFFFFFF7FF0FFFFFFFFFFFFFFE1FFFFFFFFFFFFFFC7FFFFFFFFFFFFFF9FFFFFFFFFFFFFFF7FFFFFFFFFFFFFFFFF01"> : tensor<65x65xi1>
  %r = nn.select %mask, %zero, %never : tensor<65x65xi1>, tensor<f32>, tensor<f32>
  return %r : tensor<65x65xf32>
}

// A mask of ones hides nothing: what is left is the causal one, of one row of the batch.
// CHECK-LABEL: func.func @ones
func.func @ones(%x: tensor<?x3x3xf32, #nn.dims<batch, _, _>>, %sees: tensor<3x3xi1>)
    -> (tensor<?x3x3xf32, #nn.dims<batch, _, _>>, tensor<?x3x3xi1, #nn.dims<batch, _, _>>) {
  // CHECK: %[[ALL:.+]] = nn.expand %arg1
  // CHECK: %[[MASK:.+]] = nn.select %arg1, %{{.+}}, %{{.+}} : tensor<3x3xi1>
  // CHECK: %[[Y:.+]] = nn.add %arg0, %[[MASK]]
  // CHECK: return %[[Y]], %[[ALL]]
  %one = nn.constant dense<1> : tensor<i64>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %low = nn.constant dense<-1.0e9> : tensor<f32>
  %false = nn.constant dense<false> : tensor<i1>
  %ones = nn.expand %one : tensor<i64> -> tensor<?x3xi64, #nn.dims<batch, _>>
  %counts = nn.cast %ones to i1 : tensor<?x3xi64, #nn.dims<batch, _>>
  %keys = nn.reshape %counts : tensor<?x3xi1, #nn.dims<batch, _>> -> tensor<?x1x3xi1, #nn.dims<batch, _, _>>
  %both = nn.logical_and %sees, %keys : tensor<3x3xi1>, tensor<?x1x3xi1, #nn.dims<batch, _, _>>
  %any = nn.logical_or %false, %both : tensor<i1>, tensor<?x3x3xi1, #nn.dims<batch, _, _>>
  %mask = nn.select %any, %zero, %low : tensor<?x3x3xi1, #nn.dims<batch, _, _>>, tensor<f32>, tensor<f32>
  %y = nn.add %x, %mask : tensor<?x3x3xf32, #nn.dims<batch, _, _>>, tensor<?x3x3xf32, #nn.dims<batch, _, _>>
  return %y, %any : tensor<?x3x3xf32, #nn.dims<batch, _, _>>, tensor<?x3x3xi1, #nn.dims<batch, _, _>>
}
