// The model's output is the loss: one number of any rank.
// RUN: dlc-opt %s --split-input-file --dlc-recipe=set=loss=output,prediction=cost --dlc-attach-loss | FileCheck %s

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

// -----

// A model that ends in a loss operation keeps that operation's weight: evaluation then sums over rows, and divides by
// their number.
// CHECK-LABEL: train.program @cross_entropy
// CHECK: %[[LOSS:.+]], %[[WEIGHT:.+]] = nn.softmax_cross_entropy mean
// CHECK: train.loss %[[LOSS]], %[[WEIGHT]] : tensor<f32>, tensor<f32>
train.program @cross_entropy {
  train.state parameter @scores : tensor<8x10xf32>
  train.input @labels : tensor<8xi64>
  train.output prediction @cost : tensor<f32>
  train.function forward @forward {
    %scores = train.read @scores : tensor<8x10xf32>
    %labels = train.read @labels : tensor<8xi64>
    %loss, %weight = nn.softmax_cross_entropy mean %scores, %labels ignore_index -100 : tensor<8x10xf32>, tensor<8xi64>
    train.write %loss, @cost : tensor<f32>
  }
}
