// The position of an extremum is the least position of the elements equal to it, or of the NaNs: simple
// reductions.
// RUN: dlc-opt %s --dlc-decompose | FileCheck %s

// CHECK: %[[MAX:.*]] = nn.reduce_max %[[X:.*]] axes [1] keepdims
// CHECK: %[[AT:.*]] = nn.compare eq %[[X]], %[[MAX]]
// CHECK: %[[ISNOT:.*]] = nn.logical_not %[[AT]]
// CHECK: %[[NUMBER:.*]] = nn.compare eq %[[X]], %[[X]]
// CHECK: %[[OTHER:.*]] = nn.logical_and %[[ISNOT]], %[[NUMBER]]
// CHECK: %[[ISIT:.*]] = nn.logical_not %[[OTHER]]
// CHECK: %[[C:.*]] = nn.select %[[ISIT]]
// CHECK: nn.reduce_min %[[C]] axes [1]
// CHECK-NOT: argmax
train.program @p {
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8xi64>
  train.function predict @predict {
    %x = train.read @x : tensor<8x4xf32>
    %y = nn.argmax %x axis 1 : tensor<8x4xf32>
    train.write %y, @y : tensor<8xi64>
  }
}
