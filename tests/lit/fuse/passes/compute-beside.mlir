// The nest that makes the gradient of a square makes the square again as its second result.
// RUN: dlc-opt %S/../made-beside.mlir --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-recompute-forward=near-bytes=65536 --dlc-inline-producers | FileCheck %s --check-prefix=BEFORE
// RUN: dlc-opt %S/../made-beside.mlir --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-recompute-forward=near-bytes=65536 --dlc-inline-producers --dlc-compute-beside | FileCheck %s

// BEFORE-LABEL: train.function train_step
// BEFORE-NOT: -> (tensor<256x512xf32>, tensor<256x512xf32>)
// BEFORE: train.function grad_step
// CHECK-LABEL: train.function train_step
// CHECK: -> (tensor<256x512xf32>, tensor<256x512xf32>)
// CHECK: train.function grad_step
