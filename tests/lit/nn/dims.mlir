// Names of dynamic dims: bare words, products in canonical form as strings; flattening multiplies them.
// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK-LABEL: @flatten
// CHECK-SAME: tensor<?x?x8xf32, #nn.dims<batch, sequence, _>>
func.func @flatten(%x: tensor<?x?x8xf32, #nn.dims<batch, sequence, _>>)
    -> tensor<?x8xf32, #nn.dims<"batch*sequence", _>> {
  // CHECK: nn.reshape %{{.*}} -> tensor<?x8xf32, #nn.dims<"batch*sequence", _>>
  %0 = nn.reshape %x : tensor<?x?x8xf32, #nn.dims<batch, sequence, _>>
      -> tensor<?x8xf32, #nn.dims<"batch*sequence", _>>
  // CHECK: nn.reshape %{{.*}} -> tensor<?xf32, #nn.dims<"8*batch*sequence">>
  %1 = nn.reshape %0 : tensor<?x8xf32, #nn.dims<"batch*sequence", _>>
      -> tensor<?xf32, #nn.dims<"8*batch*sequence">>
  return %0 : tensor<?x8xf32, #nn.dims<"batch*sequence", _>>
}
