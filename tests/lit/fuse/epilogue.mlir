// What follows a product element by element is in its kernel, as one generic; the product itself is a
// result as well where something else reads it.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s

// CHECK: train.kernel @matmul_tanh_mul attributes {shared = 2 : i64}
// CHECK: %[[C:.*]] = linalg.generic {doc = "matmul"
// CHECK: %[[Y:.*]] = linalg.generic {doc = "tanh mul"
// CHECK-NOT: linalg.generic
// CHECK: train.yield %[[C]], %[[Y]]
// CHECK-LABEL: train.function predict
// CHECK: %[[R:.*]]:2 = train.launch @matmul_tanh_mul
// CHECK-NOT: train.launch
train.program @p {
  train.input @a : tensor<8x4xf32>
  train.input @b : tensor<4x16xf32>
  train.output prediction @c : tensor<8x16xf32>
  train.output prediction @y : tensor<8x16xf32>
  train.function predict @predict {
    %a = train.read @a : tensor<8x4xf32>
    %b = train.read @b : tensor<4x16xf32>
    %c = nn.matmul %a, %b : tensor<8x4xf32>, tensor<4x16xf32>
    %t = nn.tanh %c : tensor<8x16xf32>
    %y = nn.mul %t, %c : tensor<8x16xf32>, tensor<8x16xf32>
    train.write %c, @c : tensor<8x16xf32>
    train.write %y, @y : tensor<8x16xf32>
  }
}
