// Everything that stops the gradients is reported in one run: operations without a rule, operands that
// have none, parameters that the loss does not depend on. What lies behind a missing rule is not reported.
// RUN: not dlc-opt %s --allow-unregistered-dialect --dlc-backward 2>&1 | FileCheck %s

// CHECK: error: {{.*}}node 'conv1': 'convolution' has no gradient, but lies between trainable parameters and the loss
// CHECK: error: {{.*}}node 'pool': 'pool' has no gradient
// CHECK: error: 'softmax_cross_entropy' has no gradient for its operand #2
// CHECK: error: no gradient reaches parameter 'unused': the loss does not depend on it through differentiable operations; freeze it (--freeze=unused) to train the others
// CHECK: error: no gradient reaches parameter 'rounded'
// CHECK-NOT: error:

train.program @broken {
  train.state parameter @behind : tensor<4xf32>
  train.state parameter @class_weights : tensor<4xf32>
  train.state parameter @unused : tensor<4xf32>
  train.state parameter @rounded : tensor<4xf32>
  train.state parameter @trained : tensor<4xf32>
  train.input @labels : tensor<8xi64>
  train.input @x : tensor<8x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x4xf32>
    %labels = train.read @labels : tensor<8xi64>
    %behind = train.read @behind : tensor<4xf32>
    %w = train.read @class_weights : tensor<4xf32>
    %r = train.read @rounded : tensor<4xf32>
    %t = train.read @trained : tensor<4xf32>
    %a = "other.convolution"(%x, %behind) : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32> loc("conv1")
    %b = "other.pool"(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32> loc("pool")
    %i = nn.cast %r to i64 : tensor<4xf32>
    %f = nn.cast %i to f32 : tensor<4xi64>
    %c = nn.add %b, %f : tensor<8x4xf32>, tensor<4xf32>
    %d = nn.mul %c, %t : tensor<8x4xf32>, tensor<4xf32>
    %loss, %weight = nn.softmax_cross_entropy mean %d, %labels weights %w ignore_index -100 : tensor<8x4xf32>, tensor<8xi64>, tensor<4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
  train.function evaluate @evaluate {
  }
}
