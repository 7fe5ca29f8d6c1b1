// A composite operation must have been decomposed.
// RUN: not dlc-opt %s --dlc-nn-to-linalg 2>&1 | FileCheck %s

// CHECK: error: 'nn.softmax' op has no lowering to linalg: expected a primitive operation of nn
train.program @p {
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x4xf32>
    %y = nn.softmax %x axis 1 : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}
