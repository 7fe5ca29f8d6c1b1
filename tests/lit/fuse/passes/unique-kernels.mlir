// Kernels get names by what they compute, and those that are equal one name. A kernel of another shape is another.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-group-loop-nests --dlc-outline-kernels --dlc-unique-kernels | FileCheck %s

// CHECK: train.kernel @relu attributes
// CHECK: train.kernel @relu_0 attributes
// CHECK-NOT: train.kernel
// CHECK: train.launch @relu(
// CHECK: train.launch @relu_0(
// CHECK: train.launch @relu(
train.program @p {
  train.input @x : tensor<8x4xf32>
  train.input @z : tensor<8x5xf32>
  train.output prediction @a : tensor<8x4xf32>
  train.output prediction @b : tensor<8x5xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x4xf32>
    %z = train.read @z : tensor<8x5xf32>
    %a = nn.relu %x : tensor<8x4xf32>
    %b = nn.relu %z : tensor<8x5xf32>
    train.write %a, @a : tensor<8x4xf32>
    train.write %b, @b : tensor<8x5xf32>
  }
  train.function eval_step @eval_step {
    %x = train.read @x : tensor<8x4xf32>
    %a = nn.relu %x : tensor<8x4xf32>
    train.write %a, @a : tensor<8x4xf32>
  }
}
