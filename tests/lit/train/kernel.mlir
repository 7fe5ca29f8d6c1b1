// Kernels, launches on tensors and on places, places and copies parse and print.
// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK: train.program @model
train.program @model {
  train.dim @batch = 64
  train.state parameter @w at 0 : tensor<8xf32>
  train.input @x : tensor<?x8xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x8xi1, #nn.dims<batch, _>>
  // CHECK: train.kernel @identity schedule(#cpu.schedule<#cpu.columns<vectors = 1>, lanes = 8 inplace = [0, 0]>)
  // CHECK-SAME: arg_dims = [#nn.dims<batch, _>, #nn.dims<batch, _>]
  // CHECK-SAME: shared = 2 : i64
  train.kernel @identity schedule(#cpu.schedule<#cpu.columns<vectors = 1>, lanes = 8 inplace = [0, 0]>)
      attributes {arg_dims = [#nn.dims<batch, _>, #nn.dims<batch, _>], shared = 2 : i64} {
  ^bb0(%x: tensor<?x8xf32>):
    // CHECK: train.yield %{{.*}} : tensor<?x8xf32>
    train.yield %x : tensor<?x8xf32>
  }
  train.kernel @truth attributes {arg_dims = [#nn.dims<batch, _>, #nn.dims<batch, _>]} {
  ^bb0(%x: tensor<?x8xi1>):
    train.yield %x : tensor<?x8xi1>
  }
  // CHECK: train.kernel @part attributes {arg_dims = [#nn.dims<_, batch>, #nn.dims<_, batch>], arg_strides = {{\[\[}}"8*batch", "8"], unit]}
  train.kernel @part attributes {arg_dims = [#nn.dims<_, batch>, #nn.dims<_, batch>],
                                 arg_strides = [["8*batch", "8"], unit]} {
  ^bb0(%x: tensor<2x?xf32>):
    train.yield %x : tensor<2x?xf32>
  }
  train.function predict @predict {
    %x = train.read @x : tensor<?x8xf32>
    // CHECK: train.launch @identity(%{{.*}}) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %y = train.launch @identity(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    // CHECK: train.join %{{.*}}, %{{.*}} axis 1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
    %j = train.join %x, %y axis 1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  }
  train.function eval_step @eval_step {
    // CHECK: train.place of @x : memref<?x8xf32>
    %x = train.place of @x : memref<?x8xf32>
    // CHECK: train.place at 1024 : memref<?x8xf32>
    %t = train.place at 1024 : memref<?x8xf32>
    // CHECK: train.place of @w at 16 : memref<4xf32>
    %w = train.place of @w at 16 : memref<4xf32>
    // CHECK: train.place at 1028 : memref<2x?xf32, strided<[?, 8]>>
    %s = train.place at 1028 : memref<2x?xf32, strided<[?, 8]>>
    // CHECK: train.launch @identity(%{{.*}}) into(%{{.*}}) : (memref<?x8xf32>, memref<?x8xf32>) -> ()
    train.launch @identity(%x) into (%t) : (memref<?x8xf32>, memref<?x8xf32>) -> ()
    // Truth values are bytes in memory.
    %p = train.place at 2048 : memref<?x8xi8>
    train.launch @truth(%p) into (%p) : (memref<?x8xi8>, memref<?x8xi8>) -> ()
    %q = train.place at 4096 : memref<2x?xf32>
    train.launch @part(%s) into (%q) : (memref<2x?xf32, strided<[?, 8]>>, memref<2x?xf32>) -> ()
    // CHECK: train.copy %{{.*}} to %{{.*}} : memref<?x8xf32> to memref<?x8xf32>
    train.copy %x to %t : memref<?x8xf32> to memref<?x8xf32>
  }
}

// CHECK-LABEL: @bits
func.func @bits(%seed: i64, %draws: i64, %row: index, %column: index, %columns: index) -> i32 {
  // CHECK: train.random_bits %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} stream 2 : i32
  %0 = train.random_bits %seed, %draws, %row, %column, %columns stream 2 : i32
  return %0 : i32
}
