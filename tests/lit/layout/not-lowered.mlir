// Run by itself, the pass refuses what is no loop nest yet.
// RUN: not dlc-opt %s --dlc-layout=cpu=x86-64-v4 2>&1 | FileCheck %s

// CHECK: error: 'nn.relu' op is not expected: the stage lower makes it loop nests
train.program @p {
  train.input @x : tensor<4x8xf32>
  train.output prediction @y : tensor<4x8xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<4x8xf32>
    %y = nn.relu %x : tensor<4x8xf32>
    train.write %y, @y : tensor<4x8xf32>
  }
}
