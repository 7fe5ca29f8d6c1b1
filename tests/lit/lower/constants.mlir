// Constants that are not one number are state; equal ones of all functions are one symbol.
// RUN: dlc-opt %s --dlc-nn-to-linalg | FileCheck %s

// CHECK: train.state constant @[[C:.*]] : tensor<2xi64> = dense<[0, 1]>
// CHECK-NOT: train.state constant
// CHECK-LABEL: train.function predict
// CHECK: train.read @[[C]]
// CHECK-LABEL: train.function eval_step
// CHECK: train.read @[[C]]
train.program @p {
  train.input @x : tensor<2xi64>
  train.output prediction @y : tensor<2xi64>
  train.function predict @predict {
    %c = nn.constant dense<[0, 1]> : tensor<2xi64>
    %x = train.read @x : tensor<2xi64>
    %y = nn.add %x, %c : tensor<2xi64>, tensor<2xi64>
    train.write %y, @y : tensor<2xi64>
  }
  train.function eval_step @eval_step {
    %c = nn.constant dense<[0, 1]> : tensor<2xi64>
    %x = train.read @x : tensor<2xi64>
    %y = nn.mul %x, %c : tensor<2xi64>, tensor<2xi64>
    train.write %y, @y : tensor<2xi64>
  }
}
