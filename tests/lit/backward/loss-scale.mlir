// The loss is multiplied by the scale before gradients flow back, and each parameter's gradient divided by it: alike
// in the functions that compute gradients. With guarded updates, those that have gradients look whether all are finite.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=loss_scale=1024 --dlc-backward --dlc-verify-backward | FileCheck %s
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=loss_scale=dynamic,clip_grad_value=1 --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=GUARD
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=loss_scale=dynamic --dlc-gradients --dlc-guard-updates | FileCheck %s --check-prefix=MARKS
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=loss_scale=dynamic --dlc-gradients --dlc-guard-updates --dlc-eval-functions --dlc-verify-backward 2>&1 | FileCheck %s --check-prefix=LEFT

// CHECK: train.program @linear attributes {{{.*}}loss_scale = @loss_scale
// CHECK: train.state hyperparameter @loss_scale range[{{.*}}) : tensor<f64> = dense<1.024000e+03>
// CHECK-NOT: good_steps
// CHECK-LABEL: train.function train_step
// CHECK: %[[SCALE:.*]] = train.read @loss_scale
// CHECK: %[[SEED:.*]] = nn.cast %[[SCALE]] to f32
// CHECK: nn.div %[[SEED]], %{{.*}} : tensor<f32>, tensor<f32>
// CHECK: %[[ONE:.*]] = nn.constant dense<1.000000e+00> : tensor<f64>
// CHECK: %[[INVERSE:.*]] = nn.div %[[ONE]], %[[SCALE]]
// CHECK: %[[FACTOR:.*]] = nn.cast %[[INVERSE]] to f32
// CHECK: %[[G:.*]] = nn.mul %{{.*}}, %[[FACTOR]] : tensor<2xf32>, tensor<f32>
// CHECK: train.gradient %[[G]], @b
// CHECK-NOT: nn.select
// CHECK-LABEL: train.function grad_step
// CHECK: train.read @loss_scale
// CHECK-LABEL: train.function accumulate
// CHECK: train.read @loss_scale
// CHECK-LABEL: train.function apply
// CHECK-NOT: train.read @loss_scale
// CHECK-LABEL: train.function eval_step
// CHECK-NOT: train.read @loss_scale

// GUARD: train.state optimizer_state @good_steps : tensor<f64>
// GUARD-LABEL: train.function train_step
// What was infinite is found before it is clipped.
// GUARD: %[[SIZE:.*]] = nn.abs %[[G:.*]] : tensor<2xf32>
// GUARD: nn.compare lt %[[SIZE]], %{{.*}} : tensor<2xf32>, tensor<f32>
// GUARD: %[[FINITE:.*]] = nn.compare eq %{{.*}} : tensor<f64>, tensor<f64>
// GUARD-DAG: nn.select %[[FINITE]], %{{.*}} : tensor<i1>, tensor<2xf32>, tensor<2xf32>
// GUARD-DAG: nn.select %[[FINITE]], %{{.*}} : tensor<i1>, tensor<3x2xf32>, tensor<3x2xf32>
// GUARD-DAG: nn.select %[[FINITE]], %{{.*}} : tensor<i1>, tensor<i64>, tensor<i64>
// GUARD: train.write %{{.*}}, @loss_scale
// GUARD: train.write %{{.*}}, @good_steps
// GUARD-NOT: train.update_if
// GUARD-LABEL: train.function grad_step
// GUARD-NOT: nn.select
// GUARD-LABEL: train.function apply
// GUARD: train.write %{{.*}}, @loss_scale

// MARKS-LABEL: train.function train_step
// MARKS: train.update_if %{{.*}} : tensor<i1>
// MARKS-LABEL: train.function apply
// MARKS: train.update_if %{{.*}} : tensor<i1>

// LEFT: error: {{.*}}'train.update_if' op is left after the stage backward
train.program @linear {
  train.input @x : tensor<4x3xf32>
  train.state parameter @w : tensor<3x2xf32>
  train.state parameter @b : tensor<2xf32>
  train.input target @target : tensor<4x2xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<4x3xf32>
    %w = train.read @w : tensor<3x2xf32>
    %b = train.read @b : tensor<2xf32>
    %target = train.read @target : tensor<4x2xf32>
    %0 = nn.matmul %x, %w : tensor<4x3xf32>, tensor<3x2xf32>
    %1 = nn.add %0, %b : tensor<4x2xf32>, tensor<2xf32>
    %loss, %weight = nn.mse_loss mean %1, %target : tensor<4x2xf32>, tensor<4x2xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
