// Parallel loops first, wherever the reduced dims are; each reduction starts from what changes nothing.
// RUN: dlc-opt %s --dlc-nn-to-linalg | FileCheck %s

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.fill ins(%[[LOW]]
// CHECK: linalg.generic {doc = "reduce_max", indexing_maps = [#[[X]], #[[Y]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: arith.maximumf
train.program @p {
  train.input @x : tensor<8x4x3xf32>
  train.output prediction @y : tensor<8x1x3xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x4x3xf32>
    %y = nn.reduce_max %x axes [1] keepdims : tensor<8x4x3xf32>
    train.write %y, @y : tensor<8x1x3xf32>
  }
}
