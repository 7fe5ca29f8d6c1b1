// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s
// A function that writes nothing needs no kernel.
// CHECK: train.function predict @predict {
// CHECK-NEXT: }
train.program @p {
  train.input @x : tensor<8x4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x4xf32>
    %y = nn.relu %x : tensor<8x4xf32>
  }
}
