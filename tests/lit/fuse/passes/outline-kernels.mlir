// Each group becomes a kernel with its nests as they were, and a launch that keeps the place of the first of them. A nest
// that is in no group is an error.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-group-loop-nests --dlc-outline-kernels | FileCheck %s
// RUN: not dlc-opt %s --dlc-nn-to-linalg --dlc-outline-kernels 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: train.kernel @kernel attributes {shared = 2 : i64}
// CHECK: linalg.generic {doc = "matmul"
// CHECK-NOT: train.member
// CHECK: linalg.generic {doc = "tanh"
// CHECK: linalg.generic {doc = "mul"
// CHECK: train.kernel @kernel_0 attributes {shared = 1 : i64}
// CHECK: linalg.generic {doc = "sum"
// CHECK-LABEL: train.function predict
// CHECK: %[[Y:.*]] = train.launch @kernel(%{{.*}}, %{{.*}}) {train.position = {{[0-9]+}} : i64}
// CHECK: %[[M:.*]] = train.launch @kernel_0(%[[Y]]) {train.position
// CHECK: train.write %[[Y]], @y
// NONE: error: is in no group of loop nests: expected 'train.member', which dlc-group-loop-nests writes
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
