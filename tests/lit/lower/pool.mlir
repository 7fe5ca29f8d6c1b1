// The loops over a window have an operand of their own that tells their extents: no dim of the image does. What the
// image's dims are read at is affine in both, so that padding is made first, as a tensor.
// RUN: dlc-opt %s --split-input-file --dlc-nn-to-linalg --dlc-verify-lower | FileCheck %s

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 * 2 + d4, d3 * 2 + d5)>
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-LABEL: train.program @sum
// CHECK-NOT: tensor.extract
// CHECK: %[[EXTENTS:.*]] = tensor.empty() : tensor<2x3xi1>
// CHECK: linalg.generic {doc = "sum_pool", indexing_maps = [#[[X]], #[[WINDOW]], #[[Y]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%{{.*}}, %[[EXTENTS]] :
// CHECK: arith.addf
train.program @sum {
  train.input @x : tensor<2x3x8x9xf32>
  train.output prediction @y : tensor<2x3x4x4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2x3x8x9xf32>
    %y = nn.sum_pool %x kernel [2, 3] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x3x8x9xf32>
    train.write %y, @y : tensor<2x3x4x4xf32>
  }
}

// -----

// CHECK-LABEL: train.program @padded
// CHECK: linalg.generic
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[LOWEST]]
// CHECK: -> tensor<2x3x8xf32>
// CHECK: linalg.generic
// CHECK: arith.maximumf
// CHECK-NOT: linalg.generic
train.program @padded {
  train.input @x : tensor<2x3x7xf32>
  train.output prediction @y : tensor<2x3x4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2x3x7xf32>
    %y, %positions = nn.max_pool %x kernel [2] strides [2] low [1] high [0] dilations [1] : tensor<2x3x7xf32>
    train.write %y, @y : tensor<2x3x4xf32>
  }
}

// -----

// Windows that do not overlap: each position looks at the one window over it.
// CHECK-LABEL: train.program @gradient
// CHECK: linalg.generic {doc = "max_unpool", indexing_maps = [#{{.*}}], iterator_types = ["parallel", "parallel", "parallel"]} outs
// CHECK: arith.divui
// CHECK: arith.cmpi eq
train.program @gradient {
  train.input @y : tensor<2x3x4xf32>
  train.input @p : tensor<2x3x4xi32>
  train.output prediction @x : tensor<2x3x8xf32>
  train.function predict @predict {
    %y = train.read @y : tensor<2x3x4xf32>
    %p = train.read @p : tensor<2x3x4xi32>
    %x = nn.max_unpool %y, %p sizes [8] kernel [2] strides [2] low [0] high [0] dilations [1]
        : tensor<2x3x4xf32>, tensor<2x3x4xi32>
    train.write %x, @x : tensor<2x3x8xf32>
  }
}

// -----

// One window that does not cover the image: read at the position of the loop over the window alone, the image's dim
// would be taken for the extent of that loop. So what is covered is cut out first.
// CHECK-LABEL: train.program @part
// CHECK: tensor.extract
// CHECK: -> tensor<2x3x4xf32>
// CHECK: linalg.generic {doc = "sum_pool"
train.program @part {
  train.input @x : tensor<2x3x5xf32>
  train.output prediction @y : tensor<2x3x1xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2x3x5xf32>
    %y = nn.sum_pool %x kernel [4] strides [2] low [0] high [0] dilations [1] : tensor<2x3x5xf32>
    train.write %y, @y : tensor<2x3x1xf32>
  }
}
