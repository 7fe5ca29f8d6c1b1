// The gradient of a result that nothing uses is zero; an input that is constant has none, and is no obstacle.
// RUN: dlc-opt %s --dlc-recipe=set=loss=mse --dlc-attach-loss --dlc-resolve-modes --dlc-backward | FileCheck %s
train.program @m {
  train.custom_function @f is "f" in "f.c"
      [#train.custom_tensor<"x" : f32["n"]>, #train.custom_tensor<"scale" : f32["n"], constant = true>]
      -> [#train.custom_tensor<"y" : f32["n"]>, #train.custom_tensor<"z" : f64["n", "2"]>] gradient @g
  train.custom_function @g is "g" in "f.c"
      [#train.custom_tensor<"scale" : f32["n"]>, #train.custom_tensor<"grad_z" : f64["n", "two"]>,
       #train.custom_tensor<"grad_y" : f32["n"]>] -> [#train.custom_tensor<"grad_x" : f32["n"]>]
  train.state parameter @w : tensor<4xf32> = dense<0.5>
  train.output prediction @p : tensor<4xf32>
  train.function forward @forward {
    %w = train.read @w : tensor<4xf32>
    // CHECK: train.function train_step
    // CHECK: %[[ZEROS:.*]] = nn.constant dense<0.000000e+00> : tensor<4x2xf64>
    // CHECK: %[[GRADIENT:.*]] = train.custom @g(%[[W:.*]], %[[ZEROS]], %{{.*}}) : (tensor<4xf32>, tensor<4x2xf64>, tensor<4xf32>) -> tensor<4xf32>
    // CHECK: train.gradient %[[GRADIENT]], @w
    %y, %z = train.custom @f(%w, %w) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4x2xf64>)
    train.write %y, @p : tensor<4xf32>
  }
}
