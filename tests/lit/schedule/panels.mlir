// A weight with many columns lies in panels: the product reads them as they are, the product with the transposed
// weight reads a copy, which has the panels' rows one after the other, and an update by itself goes through memory in order.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward=optimizer=adam --dlc-decompose --dlc-nn-to-linalg --dlc-form-kernels --dlc-schedule-cpu=cpu=x86-64-v4 --dlc-verify-schedule | FileCheck %s

// CHECK-DAG: [[FORWARD:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 32, d2, d1 mod 32)>
// CHECK-DAG: [[COPY:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d2 floordiv 32, d2 mod 32, d1)>
// CHECK: train.state parameter @w physical {{.*}}1, 0{{.*}} panel 32 : tensor<128x100xf32>
// CHECK: train.state gradient @w.grad of @w physical {{.*}}1, 0{{.*}} panel 32 : tensor<128x100xf32>
// CHECK: indexing_maps = [{{#map[0-9]*}}, [[FORWARD]],
// CHECK: indexing_maps = [{{#map[0-9]*}}, [[COPY]],
// CHECK: train.kernel @adam_{{[0-9]+}} schedule(#cpu.schedule<#cpu.columns<{{.*}}shared = 3
// CHECK-LABEL: train.function train_step
// CHECK: train.launch @transpose{{.*}} (tensor<4x100x32xf32>) -> tensor<4x32x100xf32>
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
