// Products of many small matrices that hand a large tensor on are steps of one kernel, inside the loops that move all
// their operands: batch and head of an attention. What the backward pass needs of the forward pass's matrices is made
// again from queries, keys and the rows' statistics, where that costs less than keeping it.
// RUN: dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s
// RUN: dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-fuse=operations-per-byte=4 --dlc-verify-fuse | FileCheck %s --check-prefix=KEPT
// RUN: dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-fuse=near-bytes=100000000 --dlc-verify-fuse | FileCheck %s --check-prefix=ALONE

// The heads' two loops are one. Steps: the scores, the softmax, the weighted sum of values.
// CHECK: train.kernel @matmul_softmax attributes {shared = 1 : i64, steps = array<i64: 1, 5, 1>}
// CHECK-NOT: train.kernel
// CHECK: train.launch @matmul_softmax
// CHECK-NOT: train.launch
// ALONE: train.kernel @matmul attributes {shared = 3 : i64}
// ALONE: train.kernel @softmax
// ALONE: train.kernel @matmul_0
// ALONE-NOT: steps
train.program @attention {
  train.input @q : tensor<4x6x256x64xf32>
  train.input @k : tensor<4x6x64x256xf32>
  train.input @v : tensor<4x6x256x64xf32>
  train.output prediction @y : tensor<4x6x256x64xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<4x6x256x64xf32>
    %k = train.read @k : tensor<4x6x64x256xf32>
    %v = train.read @v : tensor<4x6x256x64xf32>
    %s = nn.matmul %q, %k : tensor<4x6x256x64xf32>, tensor<4x6x64x256xf32>
    %p = nn.softmax %s axis 3 : tensor<4x6x256x256xf32>
    %y = nn.matmul %p, %v : tensor<4x6x256x256xf32>, tensor<4x6x256x64xf32>
    train.write %y, @y : tensor<4x6x256x64xf32>
  }
}

// -----

// Between both chains stands a sum over all heads, so that they cannot be one. The later one has the scores made again,
// and with them the probabilities, of the statistics that the first has stored: no result has 256 x 256 elements.
// CHECK: train.launch @{{.*}} -> (tensor<24x256xf32>, tensor<24x256xf32>, tensor<24x256x64xf32>)
// CHECK: train.launch @{{.*}}(%{{.*}}) : ({{.*}}tensor<24x256xf32>{{.*}}) -> tensor<24x256x64xf32>
// KEPT: train.launch @{{.*}} -> (tensor<24x256x256xf32>, tensor<24x256x64xf32>)
train.program @again {
  train.input @q : tensor<24x256x64xf32>
  train.input @k : tensor<24x64x256xf32>
  train.input @v : tensor<24x256x64xf32>
  train.output prediction @y : tensor<24x256x64xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<24x256x64xf32>
    %k = train.read @k : tensor<24x64x256xf32>
    %v = train.read @v : tensor<24x256x64xf32>
    %s = nn.matmul %q, %k : tensor<24x256x64xf32>, tensor<24x64x256xf32>
    %p = nn.softmax %s axis 2 : tensor<24x256x256xf32>
    %o = nn.matmul %p, %v : tensor<24x256x256xf32>, tensor<24x256x64xf32>
    %sum = nn.sum %o axes [0] : tensor<24x256x64xf32>
    %w = nn.mul %o, %sum : tensor<24x256x64xf32>, tensor<256x64xf32>
    %y = nn.matmul %p, %w transpose_a : tensor<24x256x256xf32>, tensor<24x256x64xf32>
    train.write %y, @y : tensor<24x256x64xf32>
  }
}

// -----

// Products of a perceptron have no loop that moves both operands.
// CHECK-NOT: steps
train.program @perceptron {
  train.input @x : tensor<1024x768xf32>
  train.input @w : tensor<768x3072xf32>
  train.input @u : tensor<3072x768xf32>
  train.output prediction @y : tensor<1024x768xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<1024x768xf32>
    %w = train.read @w : tensor<768x3072xf32>
    %u = train.read @u : tensor<3072x768xf32>
    %h = nn.matmul %x, %w : tensor<1024x768xf32>, tensor<768x3072xf32>
    %r = nn.relu %h : tensor<1024x3072xf32>
    %y = nn.matmul %r, %u : tensor<1024x3072xf32>, tensor<3072x768xf32>
    train.write %y, @y : tensor<1024x768xf32>
  }
}
