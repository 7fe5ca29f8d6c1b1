// Broadcasting drops dims from the maps; numbers known at compile time are in the body.
// RUN: dlc-opt %s --dlc-nn-to-linalg | FileCheck %s

// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK: %[[S:.*]] = tensor.collapse_shape {{.*}} : tensor<8x1xf32> into tensor<8xf32>
// CHECK: linalg.generic {doc = "add", indexing_maps = [#[[ALL]], #[[ROW]], #[[ALL]]]
// CHECK: linalg.generic {doc = "mul", indexing_maps = [#[[ALL]], #[[COLUMN]], #[[ALL]]]{{.*}} ins(%{{.*}}, %[[S]]
// CHECK: linalg.generic {doc = "max", indexing_maps = [#[[ALL]], #[[ALL]]]
// CHECK: arith.constant 2.5
// CHECK: arith.maximumf
train.program @p {
  train.input @x : tensor<8x4xf32>
  train.input @b : tensor<4xf32>
  train.input @s : tensor<8x1xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function predict @predict {
    %c = nn.constant dense<2.5> : tensor<f32>
    %x = train.read @x : tensor<8x4xf32>
    %b = train.read @b : tensor<4xf32>
    %s = train.read @s : tensor<8x1xf32>
    %0 = nn.add %x, %b : tensor<8x4xf32>, tensor<4xf32>
    %1 = nn.mul %0, %s : tensor<8x4xf32>, tensor<8x1xf32>
    %2 = nn.max %1, %c : tensor<8x4xf32>, tensor<f32>
    train.write %2, @y : tensor<8x4xf32>
  }
}
