// Whether neighbouring iterations should read neighbours in memory is the target's to say: a sum of columns keeps its
// own loops where they should, and joins what computes its operand where any order will do.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-fuse | FileCheck %s
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-fuse=any-order=true | FileCheck %s --check-prefix=ANY

// CHECK-COUNT-2: train.kernel @
// CHECK-NOT: train.kernel @
// ANY: train.kernel @
// ANY-SAME: shared = 1
// ANY-NOT: train.kernel @
train.program @p {
  train.input @x : tensor<16x64x32xf32>
  train.output prediction @y : tensor<16x64x32xf32>
  train.output prediction @sums : tensor<16x32xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<16x64x32xf32>
    %y = nn.exp %x : tensor<16x64x32xf32>
    train.write %y, @y : tensor<16x64x32xf32>
    %sums = nn.sum %y axes [1] : tensor<16x64x32xf32>
    train.write %sums, @sums : tensor<16x32xf32>
  }
}
