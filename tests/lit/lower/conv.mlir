// Convolutions are one contraction each. Padding is an operation of its own, which a convolution and the gradient by
// its weight share; a transposed convolution puts no zeros between the elements that it reads.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-verify-lower --split-input-file | FileCheck %s

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 + d6 * 3)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-LABEL: train.program @conv
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic {doc = "conv", indexing_maps = [#[[X]], #[[W]], #[[Y]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
// CHECK: arith.mulf
// CHECK: arith.addf
train.program @conv {
  train.input @x : tensor<2x3x9x9xf32>
  train.input @w : tensor<5x3x3x2xf32>
  train.output prediction @y : tensor<2x5x4x6xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2x3x9x9xf32>
    %w = train.read @w : tensor<5x3x3x2xf32>
    %y = nn.conv %x, %w strides [2, 1] dilations [1, 3] low [0, 0] high [0, 0] groups 1
        : tensor<2x3x9x9xf32>, tensor<5x3x3x2xf32>
    train.write %y, @y : tensor<2x5x4x6xf32>
  }
}

// -----

// Depthwise: one channel in each group, which has no loop, and nothing is viewed.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 + d3)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-LABEL: train.program @depthwise
// CHECK: tensor.collapse_shape %{{.*}} : tensor<3x1x4xf32> into tensor<3x4xf32>
// CHECK-NOT: tensor.expand_shape
// CHECK: linalg.generic {doc = "conv", indexing_maps = [#[[X]], #[[W]], {{.*}}], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
train.program @depthwise {
  train.input @x : tensor<2x3x9xf32>
  train.input @w : tensor<3x1x4xf32>
  train.output prediction @y : tensor<2x3x6xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2x3x9xf32>
    %w = train.read @w : tensor<3x1x4xf32>
    %y = nn.conv %x, %w strides [1] dilations [1] low [0] high [0] groups 3
        : tensor<2x3x9xf32>, tensor<3x1x4xf32>
    train.write %y, @y : tensor<2x3x6xf32>
  }
}

// -----

// Groups are a loop of their own, over a view of the channels.
// CHECK-LABEL: train.program @groups
// CHECK-DAG: tensor.expand_shape %{{.*}} : tensor<2x6x9xf32> into tensor<2x3x2x9xf32>
// CHECK-DAG: tensor.expand_shape %{{.*}} : tensor<12x2x4xf32> into tensor<3x4x2x4xf32>
// CHECK: linalg.generic {doc = "conv"
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
// CHECK: tensor.collapse_shape %{{.*}} : tensor<2x3x4x6xf32> into tensor<2x12x6xf32>
train.program @groups {
  train.input @x : tensor<2x6x9xf32>
  train.input @w : tensor<12x2x4xf32>
  train.output prediction @y : tensor<2x12x6xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2x6x9xf32>
    %w = train.read @w : tensor<12x2x4xf32>
    %y = nn.conv %x, %w strides [1] dilations [1] low [0] high [0] groups 3
        : tensor<2x6x9xf32>, tensor<12x2x4xf32>
    train.write %y, @y : tensor<2x12x6xf32>
  }
}

// -----

// The image is padded once for both; high padding that no window reads is left out. Products with the padding are known
// to be zero.
// CHECK-DAG: #[[INIMAGE:.*]] = affine_set<(d0, d1, d2, d3, d4) : (d2 * 2 + d4 - 1 >= 0)>
// CHECK-DAG: #[[XW:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d1, d4 * 2 + d2)>
// CHECK-LABEL: train.program @padding
// CHECK: %[[PADDED:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3x9xf32>)
// CHECK: tensor.extract
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic {doc = "conv", {{.*}} ins(%[[PADDED]], %{{.*}} : tensor<2x3x9xf32>{{.*}} attrs = {train.nonzero = #[[INIMAGE]]}
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic {doc = "conv_weight_gradient", indexing_maps = [#[[XW]], {{.*}} ins(%[[PADDED]], %{{.*}} : tensor<2x3x9xf32>
train.program @padding {
  train.input @x : tensor<2x3x8xf32>
  train.input @w : tensor<5x3x3xf32>
  train.input @dy : tensor<2x5x4xf32>
  train.output prediction @y : tensor<2x5x4xf32>
  train.output prediction @dw : tensor<5x3x3xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2x3x8xf32>
    %w = train.read @w : tensor<5x3x3xf32>
    %dy = train.read @dy : tensor<2x5x4xf32>
    %y = nn.conv %x, %w strides [2] dilations [1] low [1] high [1] groups 1
        : tensor<2x3x8xf32>, tensor<5x3x3xf32>
    %dw = nn.conv_weight_gradient %x, %dy kernel [3] strides [2] dilations [1] low [1] high [1] groups 1
        : tensor<2x3x8xf32>, tensor<2x5x4xf32>
    train.write %y, @y : tensor<2x5x4xf32>
    train.write %dw, @dw : tensor<5x3x3xf32>
  }
}

// -----

// A kernel of 4 and a stride of 2: two remainders (d3, d5 of the result's loops), two elements of the kernel for each.
// CHECK-DAG: #[[DY:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d2 - d5 + 1)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d1, d5, d3)>
// CHECK-LABEL: train.program @transposed
// CHECK: tensor.expand_shape %{{.*}} : tensor<5x3x4xf32> into tensor<5x3x2x2xf32>
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic {doc = "conv_transpose", indexing_maps = [#[[DY]], #[[W]], {{.*}}], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
// CHECK: tensor.collapse_shape %{{.*}} : tensor<2x3x4x2xf32> into tensor<2x3x8xf32>
// CHECK-NOT: linalg.generic
train.program @transposed {
  train.input @dy : tensor<2x5x5xf32>
  train.input @w : tensor<5x3x4xf32>
  train.output prediction @dx : tensor<2x3x8xf32>
  train.function predict @predict {
    %dy = train.read @dy : tensor<2x5x5xf32>
    %w = train.read @w : tensor<5x3x4xf32>
    %dx = nn.conv_transpose %dy, %w size [8] strides [2] dilations [1] low [2] high [2] groups 1
        : tensor<2x5x5xf32>, tensor<5x3x4xf32>
    train.write %dx, @dx : tensor<2x3x8xf32>
  }
}

// -----

// A kernel of 3 gets a zero in front, so that the image without its padding begins at the first remainder: nothing is
// cut off. Products with that zero are known, as are those with the padding of dy.
// CHECK-DAG: #[[KERNEL:.*]] = affine_set<(d0, d1, d2, d3, d4, d5) : (-(d2 - d5 + 1) + 3 >= 0, d5 * 2 + d3 - 1 >= 0)>
// CHECK-LABEL: train.program @transposed_padded
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x5x5xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<5x3x4xf32>)
// CHECK: arith.constant 1 : index
// CHECK: linalg.generic {doc = "conv_transpose", {{.*}} outs(%{{.*}} : tensor<2x3x4x2xf32>) attrs = {train.nonzero = #[[KERNEL]]}
// CHECK: tensor.collapse_shape %{{.*}} : tensor<2x3x4x2xf32> into tensor<2x3x8xf32>
// CHECK-NOT: linalg.generic
train.program @transposed_padded {
  train.input @dy : tensor<2x5x4xf32>
  train.input @w : tensor<5x3x3xf32>
  train.output prediction @dx : tensor<2x3x8xf32>
  train.function predict @predict {
    %dy = train.read @dy : tensor<2x5x4xf32>
    %w = train.read @w : tensor<5x3x3xf32>
    %dx = nn.conv_transpose %dy, %w size [8] strides [2] dilations [1] low [1] high [1] groups 1
        : tensor<2x5x4xf32>, tensor<5x3x3xf32>
    train.write %dx, @dx : tensor<2x3x8xf32>
  }
}

// -----

// Windows side by side that leave an element over, which none of them reads: its gradient is zero.
// CHECK-LABEL: train.program @transposed_remainder
// CHECK: linalg.generic {doc = "conv_transpose", {{.*}} outs(%{{.*}} : tensor<2x3x2x2xf32>)
// CHECK: tensor.collapse_shape %{{.*}} : tensor<2x3x2x2xf32> into tensor<2x3x4xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3x5xf32>)
train.program @transposed_remainder {
  train.input @dy : tensor<2x5x2xf32>
  train.input @w : tensor<5x3x2xf32>
  train.output prediction @dx : tensor<2x3x5xf32>
  train.function predict @predict {
    %dy = train.read @dy : tensor<2x5x2xf32>
    %w = train.read @w : tensor<5x3x2xf32>
    %dx = nn.conv_transpose %dy, %w size [5] strides [2] dilations [1] low [0] high [0] groups 1
        : tensor<2x5x2xf32>, tensor<5x3x2xf32>
    train.write %dx, @dx : tensor<2x3x5xf32>
  }
}
