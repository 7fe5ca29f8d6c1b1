// Neighbouring loops of a kernel that move together through all tensors are one loop. The program's tensors keep their
// dims: launches see them by views.
// RUN: dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s

// A bias per channel leaves the loop over channels alone.
// CHECK: train.kernel @add_tanh attributes {shared = 2 : i64}
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<200x16xf32>, %{{.*}}: tensor<16xf32>):
// A sum over the same dims has one reduction loop.
// CHECK: train.kernel @sum attributes {shared = 1 : i64}
// CHECK: iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<200x16xf32>)
// What the one made is handed to the other as it is; only who sees all dims gets them back.
// CHECK: %[[Z:.*]] = train.launch @add_tanh(%{{.*}}) : (tensor<200x16xf32>, tensor<16xf32>) -> tensor<200x16xf32>
// CHECK: tensor.expand_shape %[[Z]] {{\[\[}}0, 1, 2], [3]] output_shape [8, 5, 5, 16]
// CHECK: train.launch @sum(%[[Z]])
train.program @channels {
  train.input @x : tensor<8x5x5x16xf32>
  train.input @b : tensor<16xf32>
  train.output prediction @z : tensor<8x5x5x16xf32>
  train.output prediction @s : tensor<16xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x5x5x16xf32>
    %b = train.read @b : tensor<16xf32>
    %y = nn.add %x, %b : tensor<8x5x5x16xf32>, tensor<16xf32>
    %z = nn.tanh %y : tensor<8x5x5x16xf32>
    %s = nn.sum %z axes [0, 1, 2] : tensor<8x5x5x16xf32>
    train.write %z, @z : tensor<8x5x5x16xf32>
    train.write %s, @s : tensor<16xf32>
  }
}

// -----

// A convolution with windows of one element moves along all positions alike.
// CHECK: train.kernel @conv_relu attributes {shared = 3 : i64}
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<2x3x64xf32>, %{{.*}}: tensor<5x3xf32>):
train.program @small_window {
  train.input @x : tensor<2x3x8x8xf32>
  train.input @w : tensor<5x3x1x1xf32>
  train.output prediction @y : tensor<2x5x8x8xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2x3x8x8xf32>
    %w = train.read @w : tensor<5x3x1x1xf32>
    %c = nn.conv %x, %w strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<2x3x8x8xf32>, tensor<5x3x1x1xf32>
    %y = nn.relu %c : tensor<2x5x8x8xf32>
    train.write %y, @y : tensor<2x5x8x8xf32>
  }
}

// -----

// A body that computes the position along two loops gets that along the one: random numbers stay as they are. The
// columns are a loop of their own.
// CHECK: train.kernel @dropout attributes {shared = 2 : i64}
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK-NOT: arith.muli
// CHECK: %[[COLUMN:.*]] = linalg.index 1
// CHECK: train.random_bits %{{.*}}, %{{.*}}, %[[ROW]], %[[COLUMN]], %{{.*}} stream 0
train.program @positions {
  train.input @x : tensor<4x6x5x16xf32>
  train.state rng @rng : tensor<2xi64>
  train.output prediction @y : tensor<4x6x5x16xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<4x6x5x16xf32>
    %rng = train.read @rng : tensor<2xi64>
    %y = nn.dropout %x, %rng ratio 5.000000e-01 stream 0 : tensor<4x6x5x16xf32>, tensor<2xi64>
    train.write %y, @y : tensor<4x6x5x16xf32>
  }
}

// -----

// A transposed operand has its dims in another order: only those that stay neighbours become one. Open sizes are
// multiplied by name.
// CHECK: train.kernel @transpose_add attributes {shared = 2 : i64}
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<4x20xf32>, %{{.*}}: tensor<20x4xf32>):
// CHECK: train.kernel @exp attributes {arg_dims = [#nn.dims<"24*batch">, #nn.dims<"24*batch">], shared = 1 : i64}
train.program @orders {
  train.dim @batch = 64
  train.input @x : tensor<4x5x4xf32>
  train.input @z : tensor<5x4x4xf32>
  train.input @o : tensor<?x4x6xf32, #nn.dims<batch, _, _>>
  train.output prediction @y : tensor<5x4x4xf32>
  train.output prediction @e : tensor<?x4x6xf32, #nn.dims<batch, _, _>>
  train.function predict @predict {
    %x = train.read @x : tensor<4x5x4xf32>
    %z = train.read @z : tensor<5x4x4xf32>
    %t = nn.transpose %x [1, 2, 0] : tensor<4x5x4xf32>
    %y = nn.add %t, %z : tensor<5x4x4xf32>, tensor<5x4x4xf32>
    train.write %y, @y : tensor<5x4x4xf32>
    %o = train.read @o : tensor<?x4x6xf32, #nn.dims<batch, _, _>>
    %e = nn.exp %o : tensor<?x4x6xf32, #nn.dims<batch, _, _>>
    train.write %e, @e : tensor<?x4x6xf32, #nn.dims<batch, _, _>>
  }
}
