// The forward loss and the softmax of its gradient share maxima, exponentials and their sum.
// RUN: dlc-opt %s --dlc-decompose | FileCheck %s

// CHECK-LABEL: train.function train_step
// CHECK: nn.reduce_max
// CHECK: nn.exp
// CHECK: nn.sum
// CHECK-NOT: nn.exp
// CHECK-NOT: nn.reduce_max
// CHECK: nn.reciprocal
// CHECK-NOT: nn.softmax
train.program @p {
  train.input @x : tensor<8x4xf32>
  train.input @labels : tensor<8xi64>
  train.output loss @loss : tensor<f32>
  train.output prediction @y : tensor<8x4xf32>
  train.function train_step @train_step {
    %x = train.read @x : tensor<8x4xf32>
    %labels = train.read @labels : tensor<8xi64>
    %loss, %weight = nn.softmax_cross_entropy mean %x, %labels ignore_index -100 : tensor<8x4xf32>, tensor<8xi64>
    %y = nn.softmax %x axis 1 : tensor<8x4xf32>
    train.write %loss, @loss : tensor<f32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// Where all elements are minus infinity, what is subtracted is the lowest number, and what divides is 1.
// CHECK-LABEL: train.program @hidden
// CHECK-DAG: %[[LOWEST:.+]] = nn.constant dense<-3.40282347E+38>
// CHECK-DAG: %[[ONE:.+]] = nn.constant dense<1.0{{.*}}>
// CHECK: %[[MAX:.+]] = nn.reduce_max
// CHECK: %[[SHIFT:.+]] = nn.max %[[MAX]], %[[LOWEST]]
// CHECK: nn.sub %{{.+}}, %[[SHIFT]]
// CHECK: %[[SUM:.+]] = nn.sum
// CHECK: %[[DIVISOR:.+]] = nn.max %[[SUM]], %[[ONE]]
// CHECK: nn.reciprocal %[[DIVISOR]]
train.program @hidden {
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x4xf32>
    %y = nn.softmax %x axis 1 {empty_to_zero} : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}
