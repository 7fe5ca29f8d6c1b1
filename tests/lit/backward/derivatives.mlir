// Derivatives of the prediction are functions that predict, and mark what they alone take and give. Of jvp nothing is
// left of the cotangents that it was derived with; integers have no part; what no prediction depends on has the gradient 0.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-recipe=set=function=vjp,function=jvp --dlc-backward --canonicalize --cse --dlc-verify-backward | FileCheck %s

// CHECK-LABEL: train.program @square
// CHECK: train.input target @y_cotangent derivative <vjp of @y> : tensor<?x3xf32, #nn.dims<batch, _>>
// CHECK: train.output prediction @x_gradient derivative <vjp of @x> : tensor<?x3xf32, #nn.dims<batch, _>>
// CHECK: train.output prediction @unused_gradient derivative <vjp of @unused>
// CHECK: train.input target @x_tangent derivative <jvp of @x>
// CHECK: train.output prediction @y_tangent derivative <jvp of @y>
// CHECK: train.function predict @vjp derivative vjp
// CHECK-DAG: %[[U:.+]] = train.read @y_cotangent
// CHECK-DAG: train.read @x :
// CHECK: train.write %{{.+}}, @x_gradient
// CHECK: train.write %{{.+}}, @unused_gradient
// CHECK: train.function predict @jvp derivative jvp
// CHECK-NOT: cotangent
// CHECK: train.read @x_tangent
// CHECK-NOT: cotangent
// CHECK: train.write %{{.+}}, @y_tangent
// CHECK: train.function predict @predict {
// CHECK-NOT: tangent
train.program @square {
  train.dim @batch = 4
  train.input @x : tensor<?x3xf32, #nn.dims<batch, _>>
  train.input @ids range [0, 3) : tensor<?xi64, #nn.dims<batch>>
  train.input @unused : tensor<2xf32>
  train.output prediction @y : tensor<?x3xf32, #nn.dims<batch, _>>
  train.output prediction @echo : tensor<?xi64, #nn.dims<batch>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x3xf32, #nn.dims<batch, _>>
    %ids = train.read @ids : tensor<?xi64, #nn.dims<batch>>
    %y = nn.mul %x, %x : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<?x3xf32, #nn.dims<batch, _>>
    train.write %y, @y : tensor<?x3xf32, #nn.dims<batch, _>>
    train.write %ids, @echo : tensor<?xi64, #nn.dims<batch>>
  }
}

// -----

// An input that is a prediction itself, and a symbol that has the usual name.
// CHECK-LABEL: train.program @identity
// CHECK: train.input target @y_cotangent_1 derivative <vjp of @y>
// CHECK: train.function predict @vjp_1 derivative vjp
// CHECK: %[[U:.+]] = train.read @y_cotangent_1
// CHECK: train.write %[[U]], @x_gradient
// CHECK: train.function predict @jvp derivative jvp
// CHECK: %[[V:.+]] = train.read @x_tangent
// CHECK: train.write %[[V]], @y_tangent
train.program @identity {
  train.input @x : tensor<4xf32>
  train.input target @vjp : tensor<4xf32>
  train.input target @y_cotangent : tensor<4xf32>
  train.output prediction @y : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    train.write %x, @y : tensor<4xf32>
  }
}

// -----

// A gradient of the description's own is the derivative's, too, and what is stopped is stopped.
// CHECK-LABEL: train.program @custom
// CHECK: train.function predict @vjp derivative vjp
// CHECK-NOT: nn.round
// CHECK: %[[K:.+]] = nn.constant dense<3.0
// CHECK: %[[U:.+]] = train.read @y_cotangent
// CHECK: %[[G:.+]] = nn.mul %[[U]], %[[K]]
// CHECK: train.write %[[G]], @x_gradient
// CHECK: train.function predict @jvp derivative jvp
// CHECK-NOT: nn.round
// CHECK: train.write %{{.+}}, @y_tangent
// CHECK: train.function predict @predict {
// CHECK-NOT: {{train.(custom|stop)_gradient}}
train.program @custom {
  train.input @x : tensor<3xf32>
  train.output prediction @y : tensor<3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3xf32>
    %three = nn.constant dense<3.0> : tensor<f32>
    %r = nn.round %x : tensor<3xf32>
    %c = train.custom_gradient (%r : tensor<3xf32>) of (%x : tensor<3xf32>) keeping (%three : tensor<f32>) {
    ^bb0(%dy: tensor<3xf32>, %result: tensor<3xf32>, %k: tensor<f32>):
      %d = nn.mul %dy, %k : tensor<3xf32>, tensor<f32>
      train.yield %d : tensor<3xf32>
    }
    %stopped = train.stop_gradient %x : tensor<3xf32>
    %y = nn.add %c, %stopped : tensor<3xf32>, tensor<3xf32>
    train.write %y, @y : tensor<3xf32>
  }
}
