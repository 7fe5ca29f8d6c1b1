// Intermediate values share the working memory: dead ones give their room to others, views cost nothing,
// results for the caller are produced in the caller's memory, named dims have room for their bound.
// RUN: dlc-opt %s --dlc-plan --dlc-verify-plan | FileCheck %s

#scratch = #cpu.schedule<#cpu.columns<vectors = 1>, lanes = 1 split = <loop = 0, size = 4, chunks = 4> scratch = 300 inplace = [0, 0]>
#id = affine_map<(i, j) -> (i, j)>

// CHECK: train.program @work attributes {plan = #train.program_plan<states = 0, arena = 2560, bound = 2560>}
train.program @work {
  train.dim @batch = 16
  train.input @x : tensor<?x4x5xf32, #nn.dims<batch, _, _>>
  train.output prediction @y : tensor<?x20x1xf32, #nn.dims<batch, _, _>>
  train.kernel @layer attributes {arg_dims = [#nn.dims<batch, _>, #nn.dims<batch, _>]} {
  ^bb0(%x: tensor<?x20xf32>):
    train.yield %x : tensor<?x20xf32>
  }
  train.kernel @relu schedule(#scratch) attributes {arg_dims = [#nn.dims<batch, _>, #nn.dims<batch, _>], shared = 1 : i64} {
  ^bb0(%x: tensor<?x20xf32>):
    %n = train.dim_size "batch" : index
    %0 = tensor.empty(%n) : tensor<?x20xf32>
    %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x20xf32>) outs(%0 : tensor<?x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.negf %in : f32
      linalg.yield %2 : f32
    } -> tensor<?x20xf32>
    train.yield %1 : tensor<?x20xf32>
  }
  // 16 rows of 80 bytes are 1280.
  // CHECK-LABEL: train.function predict
  // CHECK-SAME: plan = #train.function_plan<working = 2560, bound = 2560>
  train.function predict @predict {
    // CHECK: %[[X:.*]] = train.place of @x value [[N:[0-9]+]] : memref<?x20xf32>
    // CHECK: %[[A:.*]] = train.place at [[A_AT:[0-9]+]] {{.*}} : memref<?x20xf32>
    // CHECK: train.launch @layer(%[[X]]) into{{ ?}}(%[[A]])
    %x = train.read @x : tensor<?x4x5xf32>
    %0 = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x4x5xf32> into tensor<?x20xf32>
    %1 = train.launch @layer(%0) : (tensor<?x20xf32>) -> tensor<?x20xf32>
    // CHECK: %[[B:.*]] = train.place at [[B_AT:[0-9]+]]
    // CHECK: train.launch @layer(%[[A]]) into{{ ?}}(%[[B]])
    %2 = train.launch @layer(%1) : (tensor<?x20xf32>) -> tensor<?x20xf32>
    // CHECK: %[[C:.*]] = train.place at [[A_AT]]
    // CHECK: train.launch @layer(%[[B]]) into{{ ?}}(%[[C]])
    %3 = train.launch @layer(%2) : (tensor<?x20xf32>) -> tensor<?x20xf32>
    // CHECK: %[[Y:.*]] = train.place of @y {{.*}} : memref<?x20xf32>
    // CHECK: train.launch @layer(%[[C]]) into{{ ?}}(%[[Y]])
    %4 = train.launch @layer(%3) : (tensor<?x20xf32>) -> tensor<?x20xf32>
    %n = train.dim_size "batch" : index
    %5 = tensor.expand_shape %4 [[0], [1, 2]] output_shape [%n, 20, 1] : tensor<?x20xf32> into tensor<?x20x1xf32>
    train.write %5, @y : tensor<?x20x1xf32>
    // CHECK-NOT: train.copy
  }
  // In place, with scratch for four chunks while the launch runs: 1280 + 1200, aligned.
  // CHECK-LABEL: train.function eval_step
  // CHECK-SAME: plan = #train.function_plan<working = 2496, bound = 2496>
  train.function eval_step @eval_step {
    %x = train.read @x : tensor<?x4x5xf32>
    %0 = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x4x5xf32> into tensor<?x20xf32>
    // CHECK: %[[A:.*]] = train.place at [[A_AT:[0-9]+]] {{.*}} : memref<?x20xf32>
    // CHECK: train.launch @layer
    %1 = train.launch @layer(%0) : (tensor<?x20xf32>) -> tensor<?x20xf32>
    // CHECK: %[[B:.*]] = train.place at [[A_AT]] {{.*}} : memref<?x20xf32>
    // CHECK: %[[S:.*]] = train.place at {{.*}} : memref<1200xi8>
    // CHECK: train.launch @relu(%[[A]]) into{{ ?}}(%[[B]], %[[S]])
    %2 = train.launch @relu(%1) : (tensor<?x20xf32>) -> tensor<?x20xf32>
    %3 = train.launch @layer(%2) : (tensor<?x20xf32>) -> tensor<?x20xf32>
    %n = train.dim_size "batch" : index
    %4 = tensor.expand_shape %3 [[0], [1, 2]] output_shape [%n, 20, 1] : tensor<?x20xf32> into tensor<?x20x1xf32>
    train.write %4, @y : tensor<?x20x1xf32>
  }
}
