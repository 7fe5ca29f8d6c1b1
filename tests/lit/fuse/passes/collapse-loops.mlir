// Two loops that move together through all tensors become one, and launches see operands and results by views.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-group-loop-nests --dlc-outline-kernels --dlc-collapse-loops | FileCheck %s

// CHECK: train.kernel @kernel attributes {shared = 1 : i64}
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<1000xf32>):
// CHECK: %[[X:.*]] = train.read @x
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2]]
// CHECK: %[[Y:.*]] = train.launch @kernel(%[[FLAT]]){{.*}} -> tensor<1000xf32>
// CHECK: %[[WHOLE:.*]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1, 2]] output_shape [10, 20, 5]
// CHECK: train.write %[[WHOLE]], @y
train.program @p {
  train.input @x : tensor<10x20x5xf32>
  train.output prediction @y : tensor<10x20x5xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<10x20x5xf32>
    %y = nn.tanh %x : tensor<10x20x5xf32>
    train.write %y, @y : tensor<10x20x5xf32>
  }
}
