// Movements that are affine are maps; others compute clamped positions. Reshapes and slices are views, and the
// parts of a concatenation are joined.
// RUN: dlc-opt %s --dlc-nn-to-linalg --split-input-file | FileCheck %s

// CHECK-DAG: #[[T:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[REVERSE:.*]] = affine_map<(d0, d1) -> (d0, -d1 + 7)>
// CHECK: linalg.generic {doc = "transpose", indexing_maps = [#[[T]],
// CHECK: tensor.extract_slice %{{.*}}[5, 1] [1, 3] [1, 2] : tensor<6x8xf32> to tensor<3xf32>
// CHECK: linalg.generic {doc = "reverse", indexing_maps = [#[[REVERSE]],
// CHECK: tensor.collapse_shape {{.*}} {{\[}}[0, 1]{{\]}} : tensor<6x8xf32> into tensor<48xf32>
train.program @p {
  train.input @x : tensor<6x8xf32>
  train.output prediction @t : tensor<8x6xf32>
  train.output prediction @s : tensor<1x3xf32>
  train.output prediction @r : tensor<6x8xf32>
  train.output prediction @f : tensor<48xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<6x8xf32>
    %t = nn.transpose %x [1, 0] : tensor<6x8xf32>
    %s = nn.slice %x starts [5, 1] limits [6, 7] steps [1, 2] : tensor<6x8xf32>
    %r = nn.reverse %x axes [1] : tensor<6x8xf32>
    %f = nn.reshape %x : tensor<6x8xf32> -> tensor<48xf32>
    train.write %t, @t : tensor<8x6xf32>
    train.write %s, @s : tensor<1x3xf32>
    train.write %r, @r : tensor<6x8xf32>
    train.write %f, @f : tensor<48xf32>
  }
}

// -----

// CHECK-LABEL: train.program @indexed
// CHECK: linalg.generic {doc = "gather"
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: tensor.extract
// CHECK: linalg.generic {doc = "scatter_add"{{.*}}iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: arith.select
// CHECK: arith.addf
train.program @indexed {
  train.input @table : tensor<10x4xf32>
  train.input @ids : tensor<5xi64>
  train.output prediction @y : tensor<5x4xf32>
  train.output prediction @d : tensor<10x4xf32>
  train.function predict @predict {
    %table = train.read @table : tensor<10x4xf32>
    %ids = train.read @ids : tensor<5xi64>
    %y = nn.gather %table, %ids axis 0 : tensor<10x4xf32>, tensor<5xi64>
    %d = nn.scatter_add %ids, %y axis 0 : tensor<5xi64>, tensor<5x4xf32> -> tensor<10x4xf32>
    train.write %y, @y : tensor<5x4xf32>
    train.write %d, @d : tensor<10x4xf32>
  }
}

// -----

// A part with one element along the axis lacks it; one without elements is left out.
// CHECK-LABEL: train.program @joined
// CHECK: train.join %{{.*}}, %{{.*}} axis 0 : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
train.program @joined {
  train.input @x : tensor<1x4xf32>
  train.input @y : tensor<2x4xf32>
  train.input @none : tensor<0x4xf32>
  train.output prediction @z : tensor<3x4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<1x4xf32>
    %y = train.read @y : tensor<2x4xf32>
    %none = train.read @none : tensor<0x4xf32>
    %z = nn.concat %x, %none, %y axis 0 : tensor<1x4xf32>, tensor<0x4xf32>, tensor<2x4xf32>
    train.write %z, @z : tensor<3x4xf32>
  }
}

// -----

// A tensor without elements is not read, not even at a clamped position.
// CHECK-LABEL: train.program @empty
// CHECK-NOT: train.join
// CHECK-NOT: tensor.extract
// CHECK-NOT: linalg.generic {doc = "pad"
train.program @empty {
  train.input @x : tensor<3xf32>
  train.input @none : tensor<0xf32>
  train.output prediction @y : tensor<3xf32>
  train.output prediction @z : tensor<4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<3xf32>
    %none = train.read @none : tensor<0xf32>
    %y = nn.concat %x, %none axis 0 : tensor<3xf32>, tensor<0xf32>
    %z = nn.pad constant %none low [4] high [0] interior [0] value 1.0 : tensor<0xf32>
    train.write %y, @y : tensor<3xf32>
    train.write %z, @z : tensor<4xf32>
  }
}
