// The body of train.custom_gradient takes the place of the gradient, and train.stop_gradient stops it; afterwards
// nobody knows them.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-verify-backward | FileCheck %s

// CHECK-NOT: {{train.(custom|stop)_gradient}}
// CHECK-LABEL: train_step @train_step
// The gradient is that of the body, 3 x, of which nothing is rounded.
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[THREE:.+]] = nn.constant dense<3.0
// CHECK: %[[DXW:.+]] = nn.mul %[[THREE]], %[[X]]
// CHECK: %[[DW:.+]] = nn.sum %[[DXW]] axes [0]
// CHECK: train.gradient %[[DW]], @w
// CHECK-NOT: {{train.(custom|stop)_gradient}}
// CHECK-LABEL: predict @predict
// CHECK: %[[P:.+]] = nn.mul
// CHECK: %[[R:.+]] = nn.round %[[P]]
// CHECK: train.write %[[R]], @y
train.program @p {
  train.dim @batch = 8
  train.state parameter @w : tensor<3xf32>
  train.input @x : tensor<?x3xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x3xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x3xf32, #nn.dims<batch, _>>
    %w = train.read @w : tensor<3xf32>
    %three = nn.constant dense<3.0> : tensor<f32>
    %p = nn.mul %x, %w : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<3xf32>
    %r = nn.round %p : tensor<?x3xf32, #nn.dims<batch, _>>
    %y = train.custom_gradient (%r : tensor<?x3xf32, #nn.dims<batch, _>>) of (%p : tensor<?x3xf32, #nn.dims<batch, _>>) keeping (%three : tensor<f32>) {
    ^bb0(%dy: tensor<?x3xf32, #nn.dims<batch, _>>, %result: tensor<?x3xf32, #nn.dims<batch, _>>, %k: tensor<f32>):
      %d = nn.mul %dy, %k : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<f32>
      train.yield %d : tensor<?x3xf32, #nn.dims<batch, _>>
    }
    %stopped = train.stop_gradient %w : tensor<3xf32>
    %z = nn.add %y, %stopped : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<3xf32>
    %loss = nn.sum %z axes [0, 1] : tensor<?x3xf32, #nn.dims<batch, _>>
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
    train.write %y, @y : tensor<?x3xf32, #nn.dims<batch, _>>
  }
}
