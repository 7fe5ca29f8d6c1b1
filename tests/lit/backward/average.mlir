// Moving averages of parameters are slots, which the updates move; they begin with the parameter after the first step.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=ema_decay=0.75 --dlc-backward --dlc-verify-backward | FileCheck %s

// CHECK: optimizer_state @fc.w.ema of @fc.w {average} : tensor<3x2xf32>
// CHECK: hyperparameter @ema_decay range[0.000000e+00, 1.0000000000000002) : tensor<f64> = dense<7.500000e-01>
// CHECK-LABEL: train_step @train_step
// CHECK: %[[NEW:.+]] = train.plain_sgd {{.*}} : tensor<3x2xf32>
// CHECK: %[[OLD:.+]] = train.read @fc.w.ema
// CHECK: %[[WAY:.+]] = nn.sub %[[NEW]], %[[OLD]]
// CHECK: %[[MOVED:.+]] = nn.fma %{{.*}}, %[[WAY]], %[[OLD]]
// CHECK: %[[AVERAGE:.+]] = nn.select %{{.*}}, %[[NEW]], %[[MOVED]]
// CHECK: train.write %[[AVERAGE]], @fc.w.ema
// CHECK-LABEL: function grad_step
// CHECK-NOT: ema
// CHECK-LABEL: function apply
// CHECK: train.write %{{.*}}, @fc.w.ema
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
