// What one nest alone reads, element by element, is computed inside of it. What two read is stored, and so is what a
// product reads. What nothing reads goes.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-inline-producers | FileCheck %s

// CHECK-LABEL: train.function predict
// CHECK-NOT: math.log
// CHECK: linalg.generic {doc = "exp tanh"
// CHECK: linalg.generic {doc = "matmul"
// CHECK: linalg.generic {doc = "relu"
// CHECK-NOT: linalg.generic
train.program @p {
  train.input @x : tensor<8x4xf32>
  train.input @w : tensor<4x16xf32>
  train.output prediction @y : tensor<8x16xf32>
  train.output prediction @z : tensor<8x4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x4xf32>
    %w = train.read @w : tensor<4x16xf32>
    %unused = nn.log %x : tensor<8x4xf32>
    %e = nn.exp %x : tensor<8x4xf32>
    %t = nn.tanh %e : tensor<8x4xf32>
    %y = nn.matmul %t, %w : tensor<8x4xf32>, tensor<4x16xf32>
    %z = nn.relu %t : tensor<8x4xf32>
    train.write %y, @y : tensor<8x16xf32>
    train.write %z, @z : tensor<8x4xf32>
  }
}
