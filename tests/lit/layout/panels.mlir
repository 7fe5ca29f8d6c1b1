// A weight with many columns lies in panels: the product reads them as they are, the product with the transposed
// weight reads a copy of the panels' rows one after the other, and an update by itself goes through memory in order.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adam --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-verify-layout -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --dlc-fuse --dlc-verify-fuse | FileCheck %s --check-prefix=KERNELS

// CHECK-DAG: [[PANELS:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 32, d2, d1 mod 32)>
// CHECK-DAG: [[UPDATED:#map[0-9]*]] = affine_map<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
// CHECK-DAG: [[SWAPPED:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-DAG: [[SAME:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK: train.state parameter @w layout <[0, 2, 1], shape = [4, 32, 100]> : tensor<128x100xf32>
// CHECK: train.state gradient @w.grad of @w layout <[0, 2, 1], shape = [4, 32, 100]> : tensor<128x100xf32>

// CHECK-LABEL: train.function train_step
// CHECK: %[[W:.*]] = train.read @w : tensor<4x100x32xf32>
// CHECK: linalg.generic {doc = "matmul", indexing_maps = [{{#map[0-9]*}}, [[PANELS]], {{#map[0-9]*}}]{{.*}} ins(%{{.*}}, %[[W]] :
// CHECK: %[[MOVED:.*]] = linalg.generic {doc = "layout", indexing_maps = [[[SWAPPED]], [[SAME]]]{{.*}} ins(%[[W]] : tensor<4x100x32xf32>)
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[MOVED]] {{.*}} : tensor<4x32x100xf32> into tensor<128x100xf32>
// CHECK: linalg.generic {doc = "matmul"{{.*}}, %[[ROWS]] :
// CHECK: linalg.generic {indexing_maps = [{{#map[0-9]*}}, [[UPDATED]]]
// CHECK: train.write %{{.*}}, @w : tensor<4x100x32xf32>

// The gradient is written to panels by the product itself.
// CHECK-LABEL: train.function grad_step
// CHECK: %[[GRADIENT:.*]] = linalg.generic {doc = "matmul", {{.*}} outs(%{{.*}} : tensor<4x100x32xf32>)
// CHECK: train.write %[[GRADIENT]], @w.grad

// CHECK-LABEL: train.function apply
// CHECK: linalg.generic {doc = "adam", indexing_maps = [{{.*}}], iterator_types = ["parallel", "parallel", "parallel"]} {{.*}} tensor<4x100x32xf32>
// CHECK-NOT: doc = "layout"
// CHECK-LABEL: train.function eval_step

// The update is computed where the gradient is, in the contraction's kernel.
// KERNELS: train.kernel @matmul_adam
// KERNELS: linalg.generic {doc = "matmul"
// KERNELS: linalg.generic {doc = "adam", {{.*}} outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x100x32xf32>, tensor<4x100x32xf32>, tensor<4x100x32xf32>)
// KERNELS-NOT: linalg.generic
// KERNELS: train.yield
train.program @p {
  train.state parameter @v : tensor<100x5xf32>
  train.state parameter @w : tensor<128x100xf32>
  train.input @x : tensor<16x5xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<16x5xf32>
    %v = train.read @v : tensor<100x5xf32>
    %w = train.read @w : tensor<128x100xf32>
    %0 = nn.matmul %x, %v transpose_b : tensor<16x5xf32>, tensor<100x5xf32>
    %1 = nn.tanh %0 : tensor<16x100xf32>
    %2 = nn.matmul %1, %w transpose_b : tensor<16x100xf32>, tensor<128x100xf32>
    %3 = nn.tanh %2 : tensor<16x128xf32>
    %loss = nn.sum %3 axes [0, 1] : tensor<16x128xf32>
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
  }
}
