// What an update computes from hyperparameters is in f64, once for all parameters, and cast once.
// RUN: dlc-opt %s --dlc-decompose | FileCheck %s

// CHECK-LABEL: train.function apply
// CHECK-COUNT-2: nn.pow {{.*}} tensor<f64>
// CHECK-NOT: nn.pow
// CHECK-NOT: train.gradient
// CHECK-NOT: train.adam
// CHECK: train.write
train.program @p {
  train.state parameter @w : tensor<4xf32>
  train.state parameter @u : tensor<3xf32>
  train.state optimizer_state @w.m of @w : tensor<4xf32>
  train.state optimizer_state @u.m of @u : tensor<3xf32>
  train.state optimizer_state @w.v of @w : tensor<4xf32>
  train.state optimizer_state @u.v of @u : tensor<3xf32>
  train.state hyperparameter @lr : tensor<f64>
  train.state hyperparameter @beta1 : tensor<f64>
  train.state hyperparameter @beta2 : tensor<f64>
  train.state hyperparameter @eps : tensor<f64>
  train.state hyperparameter @wd : tensor<f64>
  train.state step_count @step : tensor<i64>
  train.function apply @apply {
    %w = train.read @w : tensor<4xf32>
    %wm = train.read @w.m : tensor<4xf32>
    %wv = train.read @w.v : tensor<4xf32>
    %u = train.read @u : tensor<3xf32>
    %um = train.read @u.m : tensor<3xf32>
    %uv = train.read @u.v : tensor<3xf32>
    %lr = train.read @lr : tensor<f64>
    %b1 = train.read @beta1 : tensor<f64>
    %b2 = train.read @beta2 : tensor<f64>
    %e = train.read @eps : tensor<f64>
    %wd = train.read @wd : tensor<f64>
    %t = train.read @step : tensor<i64>
    %gw = train.gradient %wm, @w : tensor<4xf32>
    %gu = train.gradient %um, @u : tensor<3xf32>
    %w1, %wm1, %wv1 = train.adam %w, %gw, %wm, %wv, %lr, %b1, %b2, %e, %wd, %t {decoupled} : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<i64>
    %u1, %um1, %uv1 = train.adam %u, %gu, %um, %uv, %lr, %b1, %b2, %e, %wd, %t {decoupled} : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<i64>
    train.write %w1, @w : tensor<4xf32>
    train.write %u1, @u : tensor<3xf32>
  }
}
