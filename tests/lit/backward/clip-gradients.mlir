// Gradients are clipped between the border of all gradients and the updates, alike in train_step and apply;
// grad_step and accumulate keep them as they are.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=clip_grad_norm=0.5 --dlc-backward --dlc-verify-backward | FileCheck %s
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-gradients --dlc-recipe=set=clip_grad_norm=1 --dlc-clip-gradients | FileCheck %s --check-prefix=MARKS
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=clip_grad_value=0.25 --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=VALUE
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=grad_norm --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=MEASURE
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=grad_norm,clip_grad_value=0.25 --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=BEFORE
// CHECK: train.state hyperparameter @max_grad_norm range[0.000000e+00, {{.*}}) : tensor<f64> = dense<5.000000e-01>

// CHECK: train.output grad_norm @grad_norm : tensor<f64>

// CHECK-LABEL: train.function train_step
// CHECK-DAG: %[[W:.*]] = train.read @w
// CHECK-DAG: %[[B:.*]] = train.read @b
// CHECK-DAG: %[[LARGEST:.*]] = train.read @max_grad_norm
// CHECK-DAG: %[[GB:.*]] = nn.sum %{{.*}} axes [0] : tensor<4x2xf32>
// CHECK-DAG: %[[GW:.*]] = nn.matmul {{.*}} transpose_a
// CHECK-DAG: %[[SB:.*]] = nn.mul %[[GB]], %[[GB]]
// CHECK-DAG: %[[SW:.*]] = nn.mul %[[GW]], %[[GW]]
// CHECK: %[[NORM:.*]] = nn.sqrt
// CHECK: nn.div %[[LARGEST]]
// CHECK: nn.min
// CHECK: %[[CLIPPED:.*]] = nn.mul %{{.*}}, %{{.*}} : tensor<2xf32>, tensor<f32>
// CHECK: train.gradient %[[CLIPPED]], @b
// CHECK: train.plain_sgd %[[B]]
// CHECK: train.gradient %{{.*}}, @w
// CHECK: train.plain_sgd %[[W]]
// CHECK: train.write %[[NORM]], @grad_norm

// CHECK-LABEL: train.function grad_step
// CHECK-NOT: nn.sqrt
// CHECK-LABEL: train.function accumulate
// CHECK-NOT: nn.sqrt
// CHECK-LABEL: train.function apply
// CHECK: nn.sqrt
// CHECK: nn.min
// CHECK: train.gradient %{{.*}}, @w
// CHECK: train.plain_sgd
// CHECK-LABEL: train.function eval_step

// VALUE: train.state hyperparameter @max_grad_value range[0.000000e+00, {{.*}}) : tensor<f64> = dense<2.500000e-01>
// VALUE-NOT: grad_norm
// VALUE-LABEL: train.function train_step
// VALUE: %[[G:.*]] = nn.sum %{{.*}} axes [0] : tensor<4x2xf32>
// VALUE: %[[BOUND:.*]] = nn.cast %{{.*}} : tensor<f64>
// VALUE: %[[BELOW:.*]] = nn.min %[[G]], %[[BOUND]]
// VALUE: %[[LEAST:.*]] = nn.neg %[[BOUND]]
// VALUE: %[[INSIDE:.*]] = nn.max %[[BELOW]], %[[LEAST]]
// VALUE: train.gradient %[[INSIDE]], @b
// VALUE-LABEL: train.function grad_step
// VALUE-NOT: nn.min
// VALUE-LABEL: train.function apply
// VALUE: nn.min

// The norm alone: the updates have the gradients as they are.
// MEASURE-NOT: max_grad_norm
// MEASURE: train.output grad_norm @grad_norm : tensor<f64>
// MEASURE-LABEL: train.function train_step
// MEASURE: %[[GB:.*]] = nn.sum %{{.*}} axes [0] : tensor<4x2xf32>
// MEASURE: train.gradient %[[GB]], @b
// MEASURE-NOT: nn.min
// MEASURE: train.write %{{.*}}, @grad_norm
// MEASURE-LABEL: train.function grad_step
// MEASURE-NOT: nn.sqrt
// MEASURE-LABEL: train.function apply
// MEASURE: nn.sqrt
// BEFORE: train.output grad_norm @grad_norm : tensor<f64>
// BEFORE-LABEL: train.function train_step
// BEFORE: %[[G:.*]] = nn.sum %{{.*}} axes [0] : tensor<4x2xf32>
// BEFORE: nn.mul %[[G]], %[[G]]
// BEFORE: train.gradient %{{.*}}, @b

// Each parameter has one gradient before and after.
// MARKS-LABEL: train.function train_step
// MARKS-COUNT-2: train.gradient
// MARKS-NOT: train.gradient
// MARKS-LABEL: train.function grad_step
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
