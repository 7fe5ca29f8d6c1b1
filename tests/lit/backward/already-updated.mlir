// Updates are attached to functions that have gradients. Those of a program that was planned, or that has its
// updates, have none.
// RUN: split-file %s %t
// RUN: not dlc-opt %t/planned.mlir --dlc-update --dlc-verify-plan 2>&1 | FileCheck %s
// RUN: not dlc-opt %t/planned.mlir --dlc-recipe=set=clip_grad_norm=1 --dlc-clip-gradients 2>&1 | FileCheck %s
// RUN: not dlc-opt %t/planned.mlir --dlc-recipe=set=clip_grad_value=1 --dlc-clip-gradients 2>&1 | FileCheck %s
// RUN: not dlc-opt %t/scaled.mlir --dlc-guard-updates 2>&1 | FileCheck %s
// RUN: not dlc-opt %t/model.mlir --dlc-resolve-modes --dlc-backward --dlc-update 2>&1 | FileCheck %s --check-prefix=TWICE

// CHECK: error: 'train.function' op 'apply' has no train.gradient: this pass takes functions as dlc-gradients leaves
// CHECK-SAME: them, before dlc-update and the stages behind it
// TWICE: error: 'train.state' op 'step' counts steps: dlc-update has attached the updates already

//--- planned.mlir
train.program @planned attributes {plan = #train.program_plan<states = 0, arena = 64, bound = 64>} {
  train.state parameter @w at 0 : tensor<4x4xf32>
  train.function apply @apply {
    %a = train.place of @w value 1 : memref<4x4xf32>
  }
}

//--- scaled.mlir
train.program @scaled attributes {plan = #train.program_plan<states = 0, arena = 64, bound = 64>, loss_scale = @loss_scale} {
  train.recipe loss_scale <1024.0, dynamic = true>
  train.state hyperparameter @loss_scale : tensor<f64> = dense<1.024000e+03>
  train.state parameter @w at 0 : tensor<4x4xf32>
  train.function apply @apply {
    %a = train.place of @w value 1 : memref<4x4xf32>
  }
}

//--- model.mlir
train.program @model {
  train.state parameter @w : tensor<4xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %w = train.read @w : tensor<4xf32>
    %loss = nn.sum %w axes [0] : tensor<4xf32>
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
  }
}
