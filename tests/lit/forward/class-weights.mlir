// Class weights come from a file: one number for each class.
// RUN: split-file %s %t
// RUN: dlc-opt %t/program.mlir --dlc-recipe=set=loss=nll,class_weights=%t/three --dlc-attach-loss | FileCheck %s
// RUN: not dlc-opt %t/program.mlir --dlc-recipe=set=loss=nll,class_weights=%t/two --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not dlc-opt %t/program.mlir --dlc-recipe=set=loss=nll,class_weights=%t/words --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not dlc-opt %t/program.mlir --dlc-recipe=set=loss=nll,class_weights=%t/large --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not dlc-opt %t/program.mlir --dlc-recipe=set=loss=nll,class_weights=%t/none --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not dlc-opt %t/program.mlir --dlc-recipe=set=loss=mse,class_weights=%t/three --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=LOSS

// CHECK: %[[W:.+]] = nn.constant dense<[5.000000e-01, 1.000000e+00, 2.000000e+00]> : tensor<3xf32>
// CHECK: nn.nll_loss {{ ?}}mean %{{.+}}, %{{.+}} weights %[[W]]
// COUNT: error: class weights '{{.+}}two': expected 3 numbers, one for each class, got 2
// WORD: error: class weights '{{.+}}words': expected finite numbers that are not negative, got 'heavy'
// LARGE: error: class weights '{{.+}}large': expected finite numbers that are not negative, got '1e300'
// FILE: error: class weights '{{.+}}none': No such file or directory
// LOSS: error: class weights are for losses 'softmax-cross-entropy' and 'nll', not for 'mse'

//--- three
0.5, 1
2.0
//--- two
1 1
//--- words
1 1 heavy
//--- large
1 1 1e300
//--- program.mlir
train.program @weights {
  train.input @x : tensor<8x3xf32>
  train.output prediction @y : tensor<8x3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x3xf32>
    %y = nn.log_softmax %x axis 1 : tensor<8x3xf32>
    train.write %y, @y : tensor<8x3xf32>
  }
}
