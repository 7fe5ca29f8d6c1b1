// A large matrix is fetched ahead, row by row; columns that many tiles read of a row-major matrix are copied.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-recipe=set=optimizer=sgd --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 | FileCheck %s

// CHECK-DAG: train.kernel @matmul_relu schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> prefetch = <rows = true>>,
// CHECK-DAG: train.kernel @matmul_plain_sgd schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2>>,
// CHECK-DAG: train.kernel @matmul_plain_sgd_{{.*}} schedule(#cpu.schedule<#cpu.contraction<{{.*}} packing = <columns = 1>>,
train.program @p {
  train.state parameter @w : tensor<640x128xf32> = dense<0.1>
  train.state parameter @v : tensor<128x32xf32> = dense<0.1>
  train.input @x : tensor<64x640xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x640xf32>
    %w = train.read @w : tensor<640x128xf32>
    %0 = nn.matmul %x, %w : tensor<64x640xf32>, tensor<640x128xf32>
    %1 = nn.relu %0 : tensor<64x128xf32>
    %v = train.read @v : tensor<128x32xf32>
    %2 = nn.matmul %1, %v : tensor<64x128xf32>, tensor<128x32xf32>
    %loss = nn.sum %2 axes [0, 1] : tensor<64x32xf32>
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
  }
}

// -----

// Columns whose steps are whole pages apart lie in one set of the first-level cache: eight tiles are enough for a copy.
// CHECK-DAG: train.kernel @matmul_div schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> packing = <columns = 1>>,
train.program @pages {
  train.input @x : tensor<64x100xf32>
  train.input @w : tensor<100x1024xf32>
  train.input @d : tensor<f32>
  train.output prediction @y : tensor<64x1024xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x100xf32>
    %w = train.read @w : tensor<100x1024xf32>
    %0 = nn.matmul %x, %w : tensor<64x100xf32>, tensor<100x1024xf32>
    %d = train.read @d : tensor<f32>
    %y = nn.div %0, %d : tensor<64x1024xf32>, tensor<f32>
    train.write %y, @y : tensor<64x1024xf32>
  }
}
