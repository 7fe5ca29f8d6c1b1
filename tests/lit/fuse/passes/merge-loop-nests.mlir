// Elementwise nests over the same loops become one, in each kernel.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-group-loop-nests --dlc-outline-kernels --dlc-merge-loop-nests | FileCheck %s

// CHECK: train.kernel @kernel attributes
// CHECK: %[[C:.*]] = linalg.generic {doc = "matmul"
// CHECK: linalg.generic {doc = "tanh mul"
// CHECK-NOT: linalg.generic
// CHECK: train.kernel @kernel_0
train.program @p {
  train.input @a : tensor<8x4xf32>
  train.input @b : tensor<4x16xf32>
  train.output prediction @y : tensor<8x16xf32>
  train.output prediction @m : tensor<8xf32>
  train.function predict @predict {
    %a = train.read @a : tensor<8x4xf32>
    %b = train.read @b : tensor<4x16xf32>
    %c = nn.matmul %a, %b : tensor<8x4xf32>, tensor<4x16xf32>
    %t = nn.tanh %c : tensor<8x16xf32>
    %y = nn.mul %t, %c : tensor<8x16xf32>, tensor<8x16xf32>
    %m = nn.sum %y axes [1] : tensor<8x16xf32>
    train.write %y, @y : tensor<8x16xf32>
    train.write %m, @m : tensor<8xf32>
  }
}
