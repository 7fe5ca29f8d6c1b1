// How a model is trained is printed as it is read, an attribute's settings in any order; what is left out has its default.
// RUN: dlc-opt %s | dlc-opt | FileCheck %s
// What is written into a recipe goes before what it has: another loss or optimizer comes without its settings.
// RUN: dlc-opt %s --dlc-recipe="set=loss=nll,optimizer=adam,clip_grad_value=2,freeze=fc.*,seed=7,precision=fp32" | FileCheck %s --check-prefix=OTHER
// RUN: dlc-opt %s --dlc-recipe=set=loss=huber,reduction=sum,optimizer=sgd,weight_decay=0.5 | FileCheck %s --check-prefix=SAME
// RUN: dlc-opt %s --dlc-recipe=set=loss=,accumulate=sum,grad_norm | FileCheck %s --check-prefix=NONE
// A flag is of the optimizer that has it.
// RUN: not dlc-opt %s --dlc-recipe=set=amsgrad 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not dlc-opt %s --dlc-recipe=set=los=mse 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not dlc-opt %s --dlc-recipe=set=seed=-1 2>&1 | FileCheck %s --check-prefix=SEED
// RUN: not dlc-opt %s --dlc-recipe=set=loss=,delta=2 2>&1 | FileCheck %s --check-prefix=LOSS
// RUN: not dlc-opt %s --dlc-recipe=set=precision=fp8 2>&1 | FileCheck %s --check-prefix=PRECISION
// RUN: not dlc-opt %s --dlc-recipe=set=ema_decay=1 2>&1 | FileCheck %s --check-prefix=DECAY
// RUN: not dlc-opt %s --dlc-recipe=set=clip_grad_norm=0 2>&1 | FileCheck %s --check-prefix=CLIP

// FLAG: error: amsgrad is a setting of optimizer 'adam' or 'adamw', not of 'sgd'
// NAME: error: a recipe has no setting 'los'
// SEED: error: the setting 'seed=-1' has a value that it cannot have
// LOSS: error: delta has no effect without a loss
// PRECISION: error: expects precision=fp32, tf32, bf16 or fp16, got 'fp8'
// DECAY: error: the setting 'ema_decay=1' has a value that it cannot have
// CLIP: error: clipping of gradients by norm: expected a finite number above 0, got 0

// CHECK: train.recipe loss <huber, prediction = "y", delta = 0.5> optimizer <sgd, learning_rate = 0.1, momentum = 0.9, nesterov>
// CHECK-SAME: groups [#train.group<"*.b:lr-scale=2">] no_decay ["norm*"] train ["fc.*", "norm*"] clip <norm 1.0e-08>
// CHECK-SAME: ema_decay 0.999 accumulate mean seed 3 precision bf16 loss_scale <1024.0> step_metrics functions ["vjp:x", "hvp"]
// OTHER: train.recipe loss <nll> optimizer <adam> groups [#train.group<"*.b:lr-scale=2">] no_decay ["norm*"]
// OTHER-SAME: train ["fc.*", "norm*"] freeze ["fc.*"] clip <value 2.0> ema_decay 0.999 accumulate mean seed 7 loss_scale
// SAME: train.recipe loss <huber, prediction = "y", reduction = sum, delta = 0.5>
// SAME-SAME: optimizer <sgd, learning_rate = 0.1, momentum = 0.9, nesterov, weight_decay = 0.5>
// NONE: train.recipe optimizer <sgd, learning_rate = 0.1, momentum = 0.9, nesterov>
// NONE-SAME: accumulate sum seed 3 precision bf16 loss_scale <1024.0> grad_norm step_metrics functions
train.program @p {
  train.recipe loss <huber, delta = 0.5, prediction = "y"> optimizer <sgd, momentum = 0.9, learning_rate = 0.1, nesterov>
    groups [#train.group<"*.b:lr-scale=2">] no_decay ["norm*"] train ["fc.*", "norm*"] clip <norm 1.0e-08> ema_decay 0.999
    accumulate mean seed 3 precision bf16 loss_scale <1024.0> step_metrics functions ["vjp:x", "hvp"]
}
