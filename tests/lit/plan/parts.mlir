// Parts lie in the place of the whole, which is live from the first part that is made on.
// RUN: dlc-opt %s --dlc-plan --dlc-verify-plan | FileCheck %s

// CHECK-LABEL: train.function predict @predict
// CHECK: %[[A:.*]] = train.place at [[AT:[0-9]+]] part value [[V:[0-9]+]] : memref<4x16xf32, strided<[48, 1]>>
// CHECK: train.launch @left(%{{.*}}) into(%[[A]])
// CHECK: %[[B:.*]] = train.place at {{[0-9]+}} part value [[V]] : memref<4x32xf32, strided<[48, 1]>>
// CHECK: train.launch @right(%{{.*}}) into(%[[B]])
// CHECK: %[[WHOLE:.*]] = train.place at [[AT]] value [[V]] : memref<4x48xf32>
// CHECK: train.launch @whole(%[[WHOLE]])
// CHECK: %[[ROWS:.*]] = train.place of @x at 128 part value {{[0-9]+}} : memref<2x16xf32>
// CHECK: train.launch @rows(%[[ROWS]])
train.program @p {
  train.input @x : tensor<4x16xf32>
  train.input @x2 : tensor<4x32xf32>
  train.output prediction @y : tensor<4x48xf32>
  train.output prediction @z : tensor<2x16xf32>
  train.kernel @left attributes {arg_strides = [unit, ["48", "1"]]} {
  ^bb0(%x: tensor<4x16xf32>):
    train.yield %x : tensor<4x16xf32>
  }
  train.kernel @right attributes {arg_strides = [unit, ["48", "1"]]} {
  ^bb0(%x: tensor<4x32xf32>):
    train.yield %x : tensor<4x32xf32>
  }
  train.kernel @whole {
  ^bb0(%x: tensor<4x48xf32>):
    train.yield %x : tensor<4x48xf32>
  }
  train.kernel @rows {
  ^bb0(%x: tensor<2x16xf32>):
    train.yield %x : tensor<2x16xf32>
  }
  train.function predict @predict {
    %x = train.read @x : tensor<4x16xf32>
    %x2 = train.read @x2 : tensor<4x32xf32>
    %a = train.launch @left(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %b = train.launch @right(%x2) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %j = train.join %a, %b axis 1 : (tensor<4x16xf32>, tensor<4x32xf32>) -> tensor<4x48xf32>
    %y = train.launch @whole(%j) : (tensor<4x48xf32>) -> tensor<4x48xf32>
    %s = tensor.extract_slice %x[2, 0] [2, 16] [1, 1] : tensor<4x16xf32> to tensor<2x16xf32>
    %z = train.launch @rows(%s) : (tensor<2x16xf32>) -> tensor<2x16xf32>
    train.write %y, @y : tensor<4x48xf32>
    train.write %z, @z : tensor<2x16xf32>
  }
}
