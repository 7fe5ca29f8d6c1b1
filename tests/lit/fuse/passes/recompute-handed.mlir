// What steps of an attention hand on is made again for the kernel that reads it later, unless operations cost more.
// RUN: dlc-opt %S/../chained-products.mlir --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-inline-producers --dlc-recompute-handed | FileCheck %s
// RUN: dlc-opt %S/../chained-products.mlir --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-inline-producers --dlc-recompute-handed=operations-per-byte=4 | FileCheck %s --check-prefix=KEPT

// CHECK-LABEL: train.program @again
// CHECK-COUNT-2: math.exp
// CHECK-LABEL: train.program @perceptron
// KEPT-LABEL: train.program @again
// KEPT-COUNT-1: math.exp
// KEPT-NOT: math.exp
// KEPT-LABEL: train.program @perceptron
