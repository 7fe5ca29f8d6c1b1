// A matrix of elements that one sum takes up along the rows, and one along the columns, is made for each of them.
// RUN: dlc-opt %s --dlc-nn-to-linalg | FileCheck %s --check-prefix=BEFORE
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-separate-transients | FileCheck %s

// BEFORE-COUNT-1: math.tanh
// BEFORE-NOT: math.tanh
// CHECK-COUNT-2: math.tanh
// CHECK-NOT: math.tanh
train.program @p {
  train.input @q : tensor<7x200x40xf32>
  train.input @k : tensor<7x40x300xf32>
  train.input @v : tensor<7x300x24xf32>
  train.input @u : tensor<7x200x24xf32>
  train.output prediction @y : tensor<7x200x24xf32>
  train.output prediction @z : tensor<7x300x24xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<7x200x40xf32>
    %k = train.read @k : tensor<7x40x300xf32>
    %v = train.read @v : tensor<7x300x24xf32>
    %u = train.read @u : tensor<7x200x24xf32>
    %s = nn.matmul %q, %k : tensor<7x200x40xf32>, tensor<7x40x300xf32>
    %p = nn.tanh %s : tensor<7x200x300xf32>
    %y = nn.matmul %p, %v : tensor<7x200x300xf32>, tensor<7x300x24xf32>
    %z = nn.matmul %p, %u transpose_a : tensor<7x200x300xf32>, tensor<7x200x24xf32>
    train.write %y, @y : tensor<7x200x24xf32>
    train.write %z, @z : tensor<7x300x24xf32>
  }
}
