// A part of a part: what is read of the inner whole lies in both of its parts, while the outer one is not complete.
// RUN: dlc-opt %s --dlc-plan --dlc-verify-plan | FileCheck %s

// CHECK-LABEL: train.function predict @predict
// CHECK: train.launch @left(%{{.*}}) into(%[[A:.*]]) :
// CHECK: train.launch @left(%{{.*}}) into(%[[B:.*]]) :
// CHECK: %[[CUT:.*]] = train.place at {{[0-9]+}} part value [[V:[0-9]+]] : memref<4x16xf32, strided<[48, 1]>>
// CHECK: train.launch @cut(%[[CUT]])
// CHECK: train.place at {{[0-9]+}} value [[V]] : memref<4x48xf32>
train.program @p {
  train.input @x : tensor<4x16xf32>
  train.output prediction @y : tensor<4x48xf32>
  train.output prediction @z : tensor<4x16xf32>
  train.kernel @left attributes {arg_strides = [unit, ["48", "1"]]} {
  ^bb0(%x: tensor<4x16xf32>):
    train.yield %x : tensor<4x16xf32>
  }
  train.kernel @whole {
  ^bb0(%x: tensor<4x48xf32>):
    train.yield %x : tensor<4x48xf32>
  }
  train.kernel @cut attributes {arg_strides = [["48", "1"], unit]} {
  ^bb0(%x: tensor<4x16xf32>):
    train.yield %x : tensor<4x16xf32>
  }
  train.function predict @predict {
    %x = train.read @x : tensor<4x16xf32>
    %a = train.launch @left(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %b = train.launch @left(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %inner = train.join %a, %b axis 1 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x32xf32>
    %cut = tensor.extract_slice %inner[0, 8] [4, 16] [1, 1] : tensor<4x32xf32> to tensor<4x16xf32>
    %z = train.launch @cut(%cut) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %c = train.launch @left(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %outer = train.join %inner, %c axis 1 : (tensor<4x32xf32>, tensor<4x16xf32>) -> tensor<4x48xf32>
    %y = train.launch @whole(%outer) : (tensor<4x48xf32>) -> tensor<4x48xf32>
    train.write %y, @y : tensor<4x48xf32>
    train.write %z, @z : tensor<4x16xf32>
  }
}
