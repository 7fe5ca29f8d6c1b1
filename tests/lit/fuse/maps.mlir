// An input that is read in rows and in columns is one operand for each: they are different elements.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-fuse | FileCheck %s

// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: train.kernel @transpose_sub
// CHECK: linalg.generic {doc = "transpose sub", indexing_maps = [#[[COLUMNS]], #[[ROWS]], #[[ROWS]]]
train.program @p {
  train.input @x : tensor<8x8xf32>
  train.output prediction @y : tensor<8x8xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x8xf32>
    %t = nn.transpose %x [1, 0] : tensor<8x8xf32>
    %y = nn.sub %x, %t : tensor<8x8xf32>, tensor<8x8xf32>
    train.write %y, @y : tensor<8x8xf32>
  }
}
