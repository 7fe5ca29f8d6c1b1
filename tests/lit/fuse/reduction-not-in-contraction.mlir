// A reduction of a product is a kernel of its own, and so is what needs its result.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s

// CHECK-DAG: train.kernel @matmul attributes {shared = 2 : i64}
// CHECK-DAG: train.kernel @reduce_max_sub attributes {shared = 1 : i64}
// CHECK-LABEL: train.function predict
// CHECK: %[[C:.*]] = train.launch @matmul(
// CHECK: train.launch @reduce_max_sub(%[[C]])
train.program @p {
  train.input @a : tensor<8x4xf32>
  train.input @b : tensor<4x16xf32>
  train.output prediction @y : tensor<8x16xf32>
  train.function predict @predict {
    %a = train.read @a : tensor<8x4xf32>
    %b = train.read @b : tensor<4x16xf32>
    %c = nn.matmul %a, %b : tensor<8x4xf32>, tensor<4x16xf32>
    %m = nn.reduce_max %c axes [1] keepdims : tensor<8x16xf32>
    %y = nn.sub %c, %m : tensor<8x16xf32>, tensor<8x1xf32>
    train.write %y, @y : tensor<8x16xf32>
  }
}
