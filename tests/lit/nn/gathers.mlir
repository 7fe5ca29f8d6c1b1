// A gather of all elements in their order, as exporters write a mask of keys, is a reshape.
// RUN: dlc-opt %s --canonicalize | FileCheck %s

// By the row and the key: what counts from the end would be negative.
// CHECK-LABEL: func.func @rows_and_keys
func.func @rows_and_keys(%mask: tensor<?x7xi1, #nn.dims<batch, _>>) -> tensor<?x1x1x7xi1, #nn.dims<batch, _, _, _>> {
  // CHECK-NEXT: %[[Y:.+]] = nn.reshape %arg0
  // CHECK-NEXT: return %[[Y]]
  %zero = nn.constant dense<0> : tensor<i64>
  %seven = nn.constant dense<7> : tensor<i64>
  %keys0 = nn.constant dense<[[[[0, 1, 2, 3, 4, 5, 6]]]]> : tensor<1x1x1x7xi64>
  %rows0 = nn.iota axis 0 : tensor<?xi64, #nn.dims<batch>>
  %rows1 = nn.reshape %rows0 : tensor<?xi64, #nn.dims<batch>> -> tensor<?x1x1x1xi64, #nn.dims<batch, _, _, _>>
  %rows2 = nn.expand %rows1 : tensor<?x1x1x1xi64, #nn.dims<batch, _, _, _>> -> tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>>
  %rows3 = nn.reshape %rows2 : tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>> -> tensor<?x1x1x7x1xi64, #nn.dims<batch, _, _, _, _>>
  %keys1 = nn.expand %keys0 : tensor<1x1x1x7xi64> -> tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>>
  %keys2 = nn.reshape %keys1 : tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>> -> tensor<?x1x1x7x1xi64, #nn.dims<batch, _, _, _, _>>
  %both = nn.concat %rows3, %keys2 axis 4 : tensor<?x1x1x7x1xi64, #nn.dims<batch, _, _, _, _>>, tensor<?x1x1x7x1xi64, #nn.dims<batch, _, _, _, _>>
  %keys3 = nn.slice %both starts [0, 0, 0, 0, 1] limits [-1, 1, 1, 7, 2] steps [1, 1, 1, 1, 1] : tensor<?x1x1x7x2xi64, #nn.dims<batch, _, _, _, _>>
  %keys4 = nn.reshape %keys3 : tensor<?x1x1x7x1xi64, #nn.dims<batch, _, _, _, _>> -> tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>>
  %below = nn.compare lt %keys4, %zero : tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>>, tensor<i64>
  %more = nn.add %keys4, %seven : tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>>, tensor<i64>
  %keys = nn.select %below, %more, %keys4 : tensor<?x1x1x7xi1, #nn.dims<batch, _, _, _>>, tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>>, tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>>
  %rows4 = nn.slice %both starts [0, 0, 0, 0, 0] limits [-1, 1, 1, 7, 1] steps [1, 1, 1, 1, 1] : tensor<?x1x1x7x2xi64, #nn.dims<batch, _, _, _, _>>
  %rows5 = nn.reshape %rows4 : tensor<?x1x1x7x1xi64, #nn.dims<batch, _, _, _, _>> -> tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>>
  %rows = nn.mul %rows5, %seven : tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>>, tensor<i64>
  %places = nn.add %keys, %rows : tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>>, tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>>
  %flat = nn.reshape %mask : tensor<?x7xi1, #nn.dims<batch, _>> -> tensor<?xi1, #nn.dims<"7*batch">>
  %y = nn.gather %flat, %places axis 0 : tensor<?xi1, #nn.dims<"7*batch">>, tensor<?x1x1x7xi64, #nn.dims<batch, _, _, _>>
  return %y : tensor<?x1x1x7xi1, #nn.dims<batch, _, _, _>>
}

// A length that has a name.
// CHECK-LABEL: func.func @open_length
func.func @open_length(%mask: tensor<?xi1, #nn.dims<"batch*seq">>) -> tensor<?x?xi1, #nn.dims<batch, seq>> {
  // CHECK-NEXT: %[[Y:.+]] = nn.reshape %arg0
  // CHECK-NEXT: return %[[Y]]
  %one = nn.constant dense<1> : tensor<i64>
  %ones = nn.expand %one : tensor<i64> -> tensor<?xi64, #nn.dims<seq>>
  %length = nn.sum %ones axes [0] : tensor<?xi64, #nn.dims<seq>>
  %rows = nn.iota axis 0 : tensor<?x1xi64, #nn.dims<batch, _>>
  %keys = nn.iota axis 0 : tensor<?xi64, #nn.dims<seq>>
  %first = nn.mul %rows, %length : tensor<?x1xi64, #nn.dims<batch, _>>, tensor<i64>
  %places = nn.add %first, %keys : tensor<?x1xi64, #nn.dims<batch, _>>, tensor<?xi64, #nn.dims<seq>>
  %y = nn.gather %mask, %places axis 0 : tensor<?xi1, #nn.dims<"batch*seq">>, tensor<?x?xi64, #nn.dims<batch, seq>>
  return %y : tensor<?x?xi1, #nn.dims<batch, seq>>
}

// Another order, a step too far, some of the elements, and those of one row alone.
// CHECK-LABEL: func.func @others
func.func @others(%x: tensor<12xf32>, %rows: tensor<4x3xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<6xf32>, tensor<4x3xf32>) {
  // CHECK-COUNT-4: nn.gather
  %three = nn.constant dense<3> : tensor<i64>
  %four = nn.constant dense<4> : tensor<i64>
  %one = nn.constant dense<1> : tensor<i64>
  %a = nn.iota axis 0 : tensor<3x1xi64>
  %b = nn.iota axis 1 : tensor<1x4xi64>
  %b3 = nn.mul %b, %three : tensor<1x4xi64>, tensor<i64>
  %turned = nn.add %a, %b3 : tensor<3x1xi64>, tensor<1x4xi64>
  %y0 = nn.gather %x, %turned axis 0 : tensor<12xf32>, tensor<3x4xi64>
  %a4 = nn.mul %a, %four : tensor<3x1xi64>, tensor<i64>
  %all = nn.add %a4, %b : tensor<3x1xi64>, tensor<1x4xi64>
  %next = nn.add %all, %one : tensor<3x4xi64>, tensor<i64>
  %y1 = nn.gather %x, %next axis 0 : tensor<12xf32>, tensor<3x4xi64>
  %c = nn.iota axis 0 : tensor<6xi64>
  %y2 = nn.gather %x, %c axis 0 : tensor<12xf32>, tensor<6xi64>
  %none = nn.sub %b, %b : tensor<1x4xi64>, tensor<1x4xi64>
  %same = nn.reshape %none : tensor<1x4xi64> -> tensor<4xi64>
  %y3 = nn.gather %rows, %same axis 0 : tensor<4x3xf32>, tensor<4xi64>
  return %y0, %y1, %y2, %y3 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<6xf32>, tensor<4x3xf32>
}
