// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK-LABEL: train.program @p
train.program @p {
  train.dim @batch = 8
  train.input @x : tensor<?x3xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x3xf32, #nn.dims<batch, _>>
    // CHECK: %[[X:.+]] = train.stop_gradient %{{.+}} : tensor<?x3xf32, #nn.dims<batch, _>>
    %a = train.stop_gradient %x : tensor<?x3xf32, #nn.dims<batch, _>>
    // CHECK: train.custom_gradient(%{{.+}} : tensor<?x3xf32, #nn.dims<batch, _>>) {
    %b = train.custom_gradient (%x : tensor<?x3xf32, #nn.dims<batch, _>>) {
    ^bb0(%d: tensor<?x3xf32, #nn.dims<batch, _>>, %y: tensor<?x3xf32, #nn.dims<batch, _>>):
      train.yield
    }
    // CHECK: train.by_mode %{{.+}}, %{{.+}} : tensor<?x3xf32, #nn.dims<batch, _>>
    %m = train.by_mode %a, %x : tensor<?x3xf32, #nn.dims<batch, _>>
    %w = nn.constant dense<2.0> : tensor<f32>
    %c = nn.compare lt %w, %w : tensor<f32>, tensor<f32>
    // CHECK: train.update_if %{{.+}} : tensor<i1>
    train.update_if %c : tensor<i1>
    // CHECK: %{{.+}}:2 = train.custom_gradient(%{{.+}}, %{{.+}} : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<f32>)
    // CHECK-SAME: of(%{{.+}} : tensor<?x3xf32, #nn.dims<batch, _>>) keeping(%{{.+}} : tensor<f32>) {
    // CHECK: train.yield %{{.+}} : tensor<?x3xf32, #nn.dims<batch, _>>
    %d:2 = train.custom_gradient (%a, %w : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<f32>) of (%x : tensor<?x3xf32, #nn.dims<batch, _>>) keeping (%w : tensor<f32>) {
    ^bb0(%d0: tensor<?x3xf32, #nn.dims<batch, _>>, %d1: tensor<f32>,
         %y0: tensor<?x3xf32, #nn.dims<batch, _>>, %y1: tensor<f32>, %k: tensor<f32>):
      %0 = nn.mul %d0, %k : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<f32>
      train.yield %0 : tensor<?x3xf32, #nn.dims<batch, _>>
    }
  }
}
