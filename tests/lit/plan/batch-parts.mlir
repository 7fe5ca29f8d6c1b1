// What is planned for one part of a batch is done for each of them, at places in the inputs that follow each other. A state
// has one value from where a phase leaves it to where the next one finds it, and the verifier follows it.
// RUN: dlc-opt %s --dlc-plan --dlc-join-parts --dlc-verify-plan | FileCheck %s
// RUN: dlc-opt %s --dlc-plan --dlc-verify-plan | FileCheck %s --check-prefix=APART

// APART: train.function grad_step @first
// APART: train.function grad_step @next

// CHECK-NOT: @first
// CHECK-LABEL: train.function grad_step @grad_step attributes {batch_parts = 3 : i64, plan = #train.function_plan<working = 192, bound = 192>}
// CHECK: %[[X0:.*]] = train.place of @x value [[X:[0-9]+]] : memref<2x16xf32>
// CHECK: %[[M0:.*]] = train.place of @mask value [[M:[0-9]+]] : memref<16xf32>
// CHECK: %[[H0:.*]] = train.place at [[AT:[0-9]+]] value [[H:[0-9]+]] : memref<2x16xf32>
// CHECK: train.launch @masked(%[[X0]], %[[M0]]) into(%[[H0]])
// CHECK: %[[G0:.*]] = train.place of @g value [[G:[0-9]+]]
// CHECK: train.launch @sum(%[[H0]]) into(%[[G0]])
// CHECK: train.place of @x at 128 part value [[X]] : memref<2x16xf32>
// CHECK: train.place of @mask value [[M]] : memref<16xf32>
// CHECK-NOT: value [[H]]
// CHECK: train.place at [[AT]] value {{[0-9]+}} : memref<2x16xf32>
// CHECK: %[[OLD:.*]] = train.place of @g value [[G]]
// CHECK: train.launch @add(%{{.*}}, %[[OLD]]) into(%[[SUM:.*]]) :
// CHECK: %[[NEW:.*]] = train.place of @g value [[G1:[0-9]+]]
// CHECK: train.copy %[[SUM]] to %[[NEW]]
// CHECK: train.place of @x at 256 part value [[X]] : memref<2x16xf32>
// CHECK: train.place of @g value [[G1]]
// CHECK: train.place of @g value [[G2:[0-9]+]]
// CHECK: %[[LAST:.*]] = train.place of @g value [[G2]]
// CHECK: %[[Y:.*]] = train.place of @y value [[G2]]
// CHECK: train.copy %[[LAST]] to %[[Y]]
#rows = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#each = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>
train.program @p attributes {batch_parts = 3 : i64} {
  train.dim @batch = 6
  train.input @x : tensor<?x16xf32, #nn.dims<batch, _>>
  train.input @mask : tensor<16xf32>
  train.state buffer @g : tensor<16xf32>
  train.output prediction @y : tensor<16xf32>
  train.kernel @masked attributes {shared = 2 : i64} {
  ^bb0(%x: tensor<2x16xf32>, %mask: tensor<16xf32>):
    %e = tensor.empty() : tensor<2x16xf32>
    %h = linalg.generic {indexing_maps = [#each, #columns, #each], iterator_types = ["parallel", "parallel"]} ins(%x, %mask : tensor<2x16xf32>, tensor<16xf32>) outs(%e : tensor<2x16xf32>) {
    ^bb1(%a: f32, %m: f32, %o: f32):
      %p = arith.mulf %a, %m : f32
      linalg.yield %p : f32
    } -> tensor<2x16xf32>
    train.yield %h : tensor<2x16xf32>
  }
  train.kernel @sum attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<2x16xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    %s = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x16xf32>) outs(%f : tensor<16xf32>) {
    ^bb1(%a: f32, %o: f32):
      %p = arith.addf %o, %a : f32
      linalg.yield %p : f32
    } -> tensor<16xf32>
    train.yield %s : tensor<16xf32>
  }
  train.kernel @add {
  ^bb0(%x: tensor<2x16xf32>, %g: tensor<16xf32>):
    train.yield %g : tensor<16xf32>
  }
  train.function grad_step @first attributes {one_part} {
    %x = train.read @x : tensor<2x16xf32>
    %mask = train.read @mask : tensor<16xf32>
    %h = train.launch @masked(%x, %mask) : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
    %g = train.launch @sum(%h) : (tensor<2x16xf32>) -> tensor<16xf32>
    train.write %g, @g : tensor<16xf32>
  }
  train.function grad_step @next attributes {one_part} {
    %x = train.read @x : tensor<2x16xf32>
    %mask = train.read @mask : tensor<16xf32>
    %h = train.launch @masked(%x, %mask) : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
    %before = train.read @g : tensor<16xf32>
    %g = train.launch @add(%h, %before) : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<16xf32>
    train.write %g, @g : tensor<16xf32>
  }
  train.function grad_step @grad_step attributes {phases = [#train.phase<@first, 0>, #train.phase<@next, 1>, #train.phase<@next, 2>]} {
    %g = train.read @g : tensor<16xf32>
    train.write %g, @y : tensor<16xf32>
  }
}
