// The sum of a squared error computes the squares itself, of the difference that the gradient reads as well; a view of all
// of it keeps this out of the product's kernel. A small difference stays as it is.
// RUN: dlc-opt %S/../store-once.mlir --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-inline-producers --dlc-store-once=near-bytes=65536 | FileCheck %s
// RUN: dlc-opt %S/../store-once.mlir --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-inline-producers --dlc-store-once | FileCheck %s --check-prefix=SMALL

// CHECK-LABEL: train.function train_step
// CHECK: %[[VIEW:.*]] = tensor.collapse_shape %[[D:.*]] {{\[\[}}0], [1], [2]] : tensor<4x128x64xf32> into tensor<4x128x64xf32>
// CHECK: train.function grad_step
// SMALL-LABEL: train.function train_step
// SMALL-NOT: {{\[\[}}0], [1], [2]] : tensor<4x128x64xf32> into tensor<4x128x64xf32>
// SMALL: train.function grad_step
