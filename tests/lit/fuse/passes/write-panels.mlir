// What is made again for the gradient of a weight alone is written in panels of 32 columns.
// DEFINE: %{groups} = dlc-opt %S/../in-panels.mlir --split-input-file --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-recompute-forward=near-bytes=65536 --dlc-inline-producers --dlc-compute-beside --dlc-group-loop-nests=near-bytes=65536
// RUN: %{groups} | FileCheck %s --check-prefix=BEFORE
// RUN: %{groups} --dlc-write-panels=near-bytes=65536 | FileCheck %s

// BEFORE-NOT: tensor<16x4x128x32xf32>
// CHECK-LABEL: train.function train_step
// CHECK: -> (tensor<16x4x128x32xf32>, tensor<4x128x512xf32>)
// CHECK: tensor.collapse_shape %{{.*}} : tensor<16x4x128x32xf32> into tensor<16x512x32xf32>
