// RUN: dlc-opt %s --dlc-nn-to-linalg | FileCheck %s
// A division by 0, or of the smallest number by -1, would stop the program that calls the model.
// CHECK: linalg.generic {doc = "div"
// CHECK: %[[SPECIAL:.*]] = arith.ori
// CHECK: %[[DIVISOR:.*]] = arith.select %[[SPECIAL]], %c1{{.*}}, %in
// CHECK: arith.divsi %in, %[[DIVISOR]]
train.program @p {
  train.input @a : tensor<4xi32>
  train.input @b : tensor<4xi32>
  train.output prediction @y : tensor<4xi32>
  train.function predict @predict {
    %a = train.read @a : tensor<4xi32>
    %b = train.read @b : tensor<4xi32>
    %y = nn.div %a, %b : tensor<4xi32>, tensor<4xi32>
    train.write %y, @y : tensor<4xi32>
  }
}
