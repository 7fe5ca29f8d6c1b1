// An output that is an input, or that equals another output, is copied; the copy knows the named dims.
// RUN: dlc-opt %s --dlc-plan --dlc-verify-plan | FileCheck %s
train.program @outputs {
  train.dim @batch = 16
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @same : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @first : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @second : tensor<?x4xf32, #nn.dims<batch, _>>
  train.kernel @layer attributes {arg_dims = [#nn.dims<batch, _>, #nn.dims<batch, _>]} {
  ^bb0(%x: tensor<?x4xf32>):
    train.yield %x : tensor<?x4xf32>
  }
  // CHECK-LABEL: train.function predict
  train.function predict @predict {
    // CHECK: %[[X:.*]] = train.place of @x
    // CHECK: %[[FIRST:.*]] = train.place of @first
    // CHECK: train.launch @layer(%[[X]]) into{{ ?}}(%[[FIRST]])
    %x = train.read @x : tensor<?x4xf32>
    %0 = train.launch @layer(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
    // CHECK-DAG: %[[SAME:.*]] = train.place of @same
    // CHECK-DAG: %[[SECOND:.*]] = train.place of @second
    // CHECK-DAG: train.copy %[[X]] to %[[SAME]] {dims = #nn.dims<batch, _>}
    // CHECK-DAG: train.copy %[[FIRST]] to %[[SECOND]] {dims = #nn.dims<batch, _>}
    train.write %x, @same : tensor<?x4xf32>
    train.write %0, @first : tensor<?x4xf32>
    train.write %0, @second : tensor<?x4xf32>
  }
}
