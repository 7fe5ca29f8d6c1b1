// Products: transposition and broadcasting of batch dims are in the maps; loops are parallel, then k.
// RUN: dlc-opt %s --dlc-nn-to-linalg --split-input-file | FileCheck %s

// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: linalg.generic {doc = "matmul", indexing_maps = [#[[MK]], #[[NK]], #[[MN]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME: outs(%[[ZERO]]
// CHECK: arith.mulf
// CHECK: arith.addf
train.program @p {
  train.input @a : tensor<8x4xf32>
  train.input @b : tensor<3x4xf32>
  train.output prediction @c : tensor<8x3xf32>
  train.function predict @predict {
    %a = train.read @a : tensor<8x4xf32>
    %b = train.read @b : tensor<3x4xf32>
    %c = nn.matmul %a, %b transpose_b : tensor<8x4xf32>, tensor<3x4xf32>
    train.write %c, @c : tensor<8x3xf32>
  }
}

// -----

// One column: a matrix-vector product. The result is viewed in its shape where it is written.
// CHECK-LABEL: train.program @column
// CHECK: %[[B:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1]{{\]}} : tensor<1x4xf32> into tensor<4xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%{{.*}}, %[[B]]
// CHECK: tensor.expand_shape {{.*}} : tensor<8xf32> into tensor<8x1xf32>
train.program @column {
  train.input @a : tensor<8x4xf32>
  train.input @b : tensor<1x4xf32>
  train.output prediction @c : tensor<8x1xf32>
  train.function predict @predict {
    %a = train.read @a : tensor<8x4xf32>
    %b = train.read @b : tensor<1x4xf32>
    %c = nn.matmul %a, %b transpose_b : tensor<8x4xf32>, tensor<1x4xf32>
    train.write %c, @c : tensor<8x1xf32>
  }
}

// -----

// An inner dim of 1: an outer product, nothing is added up.
// CHECK-LABEL: train.program @outer
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]}
// CHECK-NOT: arith.addf
train.program @outer {
  train.input @a : tensor<8x1xf32>
  train.input @b : tensor<1x4xf32>
  train.output prediction @c : tensor<8x4xf32>
  train.function predict @predict {
    %a = train.read @a : tensor<8x1xf32>
    %b = train.read @b : tensor<1x4xf32>
    %c = nn.matmul %a, %b : tensor<8x1xf32>, tensor<1x4xf32>
    train.write %c, @c : tensor<8x4xf32>
  }
}
