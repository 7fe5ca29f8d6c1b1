// The model's output is the loss: one number of any rank.
// RUN: dlc-opt %s --dlc-attach-loss="loss=output prediction=cost" | FileCheck %s

// CHECK: %[[COST:.+]] = nn.sum
// CHECK: %[[LOSS:.+]] = nn.reshape %[[COST]] : tensor<1xf32> -> tensor<f32>
// CHECK: %[[ONE:.+]] = nn.constant dense<1.0{{.*}}> : tensor<f32>
// CHECK: train.loss %[[LOSS]], %[[ONE]]
train.program @own_loss {
  train.state parameter @w : tensor<4xf32>
  train.output prediction @cost : tensor<1xf32>
  train.output prediction @w_out : tensor<4xf32>
  train.function forward @forward {
    %w = train.read @w : tensor<4xf32>
    %c = nn.sum %w axes [0] keepdims : tensor<4xf32>
    train.write %c, @cost : tensor<1xf32>
    train.write %w, @w_out : tensor<4xf32>
  }
}
