// Parameters that globs name have numbers of their own: hyperparameters named after the group, but for a weight
// decay of 0, which is a constant. While the factor of the learning rate is 0, parameter and slots keep their values.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe="set=optimizer=adamw,{group=*.b|f*.b:weight-decay=0,lr-scale=0.1},group=fc.w:beta1=0.5" --dlc-backward --dlc-verify-backward | FileCheck %s
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe="set=optimizer=adamw,group=*.b:weight-decay=0,group=*:weight-decay=0" --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=TWICE
// DEFINE: %{opt} = dlc-opt %s --dlc-recipe="set=optimizer=adamw,
// RUN: not %{opt}{group=norm*:lr-scale=2}" --dlc-resolve-modes --dlc-backward 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %{opt}{group=*.b}" --dlc-resolve-modes --dlc-backward 2>&1 | FileCheck %s --check-prefix=NO-NUMBER
// RUN: not %{opt}{group=*.b|:lr-scale=2}" --dlc-resolve-modes --dlc-backward 2>&1 | FileCheck %s --check-prefix=NO-GLOB
// RUN: not %{opt}{group=*.b:lr=2}" --dlc-resolve-modes --dlc-backward 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not %{opt}{group=*.b:lr-scale=-1}" --dlc-resolve-modes --dlc-backward 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not %{opt}{group=*:lr-scale=2},{group=*.b:lr-scale=3}" --dlc-resolve-modes --dlc-backward 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not %{opt}{group=*:weight-decay=0},{group=*.b:weight-decay=1}" --dlc-resolve-modes --dlc-backward 2>&1 | FileCheck %s --check-prefix=SECOND-DECAY

// CHECK: train.state hyperparameter @group1_lr_scale range[0.000000e+00, 3.40{{.*}}) : tensor<f64> = dense<1.000000e-01>
// CHECK-NEXT: train.state hyperparameter @group2_beta1 range[0.000000e+00, 1.000000e+00) : tensor<f64> = dense<5.000000e-01>
// CHECK-LABEL: train_step @train_step
// CHECK-DAG: %[[W:[a-z0-9_]+]] = train.read @fc.w
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @fc.b :
// CHECK-DAG: %[[M:[a-z0-9_]+]] = train.read @fc.b.exp_avg :
// CHECK-DAG: %[[RATE:[a-z0-9_]+]] = train.read @learning_rate
// CHECK-DAG: %[[BETA1:[a-z0-9_]+]] = train.read @beta1
// CHECK-DAG: %[[BETA2:[a-z0-9_]+]] = train.read @beta2
// CHECK-DAG: %[[EPSILON:[a-z0-9_]+]] = train.read @epsilon
// CHECK-DAG: %[[DECAY:[a-z0-9_]+]] = train.read @weight_decay
// CHECK-DAG: %[[SCALE:[a-z0-9_]+]] = train.read @group1_lr_scale
// CHECK-DAG: %[[ZERO:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f64>
// CHECK-DAG: %[[SCALED:[a-z0-9_]+]] = nn.mul %[[RATE]], %[[SCALE]]
// CHECK: %[[NEW:.+]]:3 = train.adam %[[B]], {{.*}}, %[[SCALED]], %[[BETA1]], %[[BETA2]], %[[EPSILON]], %[[ZERO]], {{.*}} : tensor<2xf32>
// CHECK: %[[FROZEN:[a-z0-9_]+]] = nn.compare eq %[[SCALE]], %[[ZERO]]
// CHECK: nn.select %[[FROZEN]], %[[B]], %[[NEW]]#0
// CHECK: nn.select %[[FROZEN]], %[[M]], %[[NEW]]#1
// CHECK: %[[OWN:[a-z0-9_]+]] = train.read @group2_beta1
// CHECK: train.adam %[[W]], {{.*}}, %[[RATE]], %[[OWN]], %[[BETA2]], %[[EPSILON]], %[[DECAY]], {{.*}} : tensor<3x2xf32>
// CHECK-LABEL: function grad_step
// CHECK-NOT: group1
// CHECK-LABEL: function apply
// CHECK: train.read @group1_lr_scale

// To have no decay twice is no contradiction, and declares nothing.
// TWICE-NOT: @group
// TWICE-LABEL: train_step @train_step
// TWICE-NOT: train.read @weight_decay
// TWICE-LABEL: function grad_step

// NONE: error: group 'norm*' matches none of the parameters: 'fc.w' 'fc.b'
// NO-NUMBER: error: group '*.b': expected GLOB|GLOB...:NAME=NUMBER,..., such as '*.bias|*norm*:weight-decay=0,lr-scale=0.1'
// NO-GLOB: error: group '*.b|:lr-scale=2': expected GLOB|GLOB...:NAME=NUMBER
// NAME: error: group1: the optimizer has no 'lr' for a group; it has lr_scale, beta1, beta2, epsilon, weight_decay
// NEGATIVE: error: group1: hyperparameter 'lr_scale': expected a number of at least 0 and less than 3.40282e+38, got '-1'
// BOTH: error: group2: another group sets lr_scale of 'fc.b', too
// SECOND-DECAY: error: group2: another group sets weight_decay of 'fc.b', too
train.program @linear {
  train.state parameter @fc.w : tensor<3x2xf32>
  train.state parameter @fc.b : tensor<2xf32>
  train.input @x : tensor<8x3xf32>
  train.input target @target : tensor<8x2xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x3xf32>
    %w = train.read @fc.w : tensor<3x2xf32>
    %b = train.read @fc.b : tensor<2xf32>
    %z = nn.matmul %x, %w : tensor<8x3xf32>, tensor<3x2xf32>
    %y = nn.add %z, %b : tensor<8x2xf32>, tensor<2xf32>
    %target = train.read @target : tensor<8x2xf32>
    %loss, %weight = nn.mse_loss mean %y, %target : tensor<8x2xf32>, tensor<8x2xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
