// The model's names are its own: what is added takes names that are free.
// RUN: dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy --dlc-attach-loss | FileCheck %s

// CHECK: train.input @labels :
// CHECK: train.output {{ ?}}prediction @loss :
// CHECK: train.input target @labels_1 range[0, 4)
// CHECK: train.output {{ ?}}loss @loss_1 : tensor<f32>
// CHECK: train.read @labels_1
train.program @names {
  train.state parameter @bias : tensor<4xf32>
  train.input @labels : tensor<8x4xf32>
  train.output prediction @loss : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @labels : tensor<8x4xf32>
    %b = train.read @bias : tensor<4xf32>
    %y = nn.add %x, %b : tensor<8x4xf32>, tensor<4xf32>
    train.write %y, @loss : tensor<8x4xf32>
  }
}
