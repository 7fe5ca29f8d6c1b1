// An element's random bits come from its row and column in the nn tensor, not from what loops there are.
// RUN: dlc-opt %s --dlc-nn-to-linalg | FileCheck %s

// CHECK: linalg.generic {doc = "dropout"{{.*}}iterator_types = ["parallel", "parallel"]}
// CHECK-DAG: %[[SEED:.*]] = tensor.extract %{{.*}}[%c0{{.*}}]
// CHECK-DAG: %[[DRAWS:.*]] = tensor.extract %{{.*}}[%c1{{.*}}]
// CHECK-DAG: %[[I:.*]] = linalg.index 0
// CHECK: %[[SCALED:.*]] = arith.muli %[[I]], %c4
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[ROW:.*]] = arith.addi %[[SCALED]], %[[J]]
// CHECK: %[[COLUMNS:.*]] = arith.constant 1 : index
// CHECK: %[[BITS:.*]] = train.random_bits %[[SEED]], %[[DRAWS]], %[[ROW]], %{{.*}}, %[[COLUMNS]] stream 3
// CHECK: arith.constant 32768 : i32
// CHECK: arith.cmpi uge, %[[BITS]]
train.program @p {
  train.state rng @rng : tensor<2xi64>
  train.input @x : tensor<8x4x1xf32>
  train.output prediction @y : tensor<8x4x1xf32>
  train.function train_step @train_step {
    %rng = train.read @rng : tensor<2xi64>
    %x = train.read @x : tensor<8x4x1xf32>
    %y = nn.dropout %x, %rng ratio 0.5 stream 3 : tensor<8x4x1xf32>, tensor<2xi64>
    train.write %y, @y : tensor<8x4x1xf32>
  }
}
