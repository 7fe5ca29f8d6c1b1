// The exponentials that a loss sums up are computed by its gradient again where the cache is small.
// RUN: dlc-opt %S/../computed-twice.mlir --dlc-decompose --dlc-nn-to-linalg --dlc-inline-producers --dlc-compute-twice | FileCheck %s --check-prefix=ONCE
// RUN: dlc-opt %S/../computed-twice.mlir --dlc-decompose --dlc-nn-to-linalg --dlc-inline-producers --dlc-compute-twice=near-bytes=1024 | FileCheck %s

// ONCE-LABEL: train.function grad_step
// ONCE-COUNT-1: math.exp
// ONCE-NOT: math.exp
// ONCE-LABEL: train.program @q
// CHECK-LABEL: train.function grad_step
// CHECK-COUNT-2: math.exp
// CHECK-LABEL: train.program @q
