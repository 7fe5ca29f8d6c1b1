// What was decided stands on each nest: a product and what follows it are kernel 0, the sum of rows is kernel 1. All
// operations have their places in the program's order.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-group-loop-nests | FileCheck %s

// CHECK: train.read @a {train.position = 0 : i64}
// CHECK: linalg.generic {doc = "matmul",{{.*}} attrs = {train.member = #train.member<0, shared [0, 1]>, train.position
// CHECK: linalg.generic {doc = "tanh",{{.*}} attrs = {train.member = #train.member<0, shared [0, 1]>, train.position
// CHECK: linalg.generic {doc = "mul",{{.*}} attrs = {train.member = #train.member<0, shared [0, 1]>, train.position
// CHECK: linalg.generic {doc = "sum",{{.*}} attrs = {train.member = #train.member<1, shared [0]>, train.position
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
