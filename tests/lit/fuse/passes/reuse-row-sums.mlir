// A sum over a row of shares times their gradients becomes a sum over the row of what the shares have weighed, if these
// are the same shares.
// RUN: dlc-opt %S/../transient.mlir --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-inline-producers --dlc-reuse-row-sums | FileCheck %s

// CHECK-LABEL: train.program @same
// CHECK: linalg.generic {doc = "sum", {{.*}} ins(%{{.*}} : tensor<7x200x24xf32>, tensor<7x200x24xf32>) outs(%{{.*}} : tensor<7x200xf32>)
// CHECK-LABEL: train.program @others
// CHECK-NOT: ins(%{{.*}} : tensor<7x200x24xf32>, tensor<7x200x24xf32>)
// CHECK: train.write
