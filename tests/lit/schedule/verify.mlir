// RUN: dlc-opt %s --dlc-verify-schedule --verify-diagnostics --split-input-file
train.program @p {
  // expected-error @below {{expected a schedule for CPUs}}
  train.kernel @k attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
}

// -----

train.program @p {
  // expected-error @below {{expected a schedule over 1 loops, got one with a loop 1}}
  train.kernel @k schedule(#cpu.schedule<#cpu.rows<unroll = 8 along = [1]>, lanes = 8>) attributes {shared = 0 : i64} {
  ^bb0(%x: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<4xf32>
    train.yield %y : tensor<4xf32>
  }
}

// -----

train.program @p {
  // expected-error @below {{expected a contraction with at most an elementwise operation after it}}
  train.kernel @k schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 0, rows = 1, vectors = 1>>, lanes = 4>)
      attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<4xf32>
    train.yield %y : tensor<4xf32>
  }
}

// -----

train.program @p {
  // expected-error @below {{expected an operation that adds where a position along loop 0 equals one that it computes}}
  train.kernel @k schedule(#cpu.schedule<#cpu.scatter<loop = 0>, lanes = 1>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<4xf32>
    train.yield %y : tensor<4xf32>
  }
}

// -----

train.program @p {
  // expected-error @below {{expects each loop to be split once, got loop 0 twice}}
  train.kernel @k schedule(#cpu.schedule<#cpu.rows<unroll = 1>, lanes = 4 split = <loop = 0, size = 1, chunks = 4>, <loop = 0, size = 2, chunks = 2>>)
      attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
}

// -----

// A tile's loops are two.
// expected-error @below {{expects a tile along two loops, got lane = 1, row = 1}}
#tile = #cpu.tile<lane = 1, row = 1, rows = 8, vectors = 2>

// -----

// The matrix unit adds along one loop, in one accumulator.
// expected-error @below {{expects the matrix unit's loop, and one accumulator in it, got pairs = -1, accumulators = 1}}
#reduction = #cpu.reduction<amx = true>

// -----

// What is prefetched for a copy needs a copy.
// expected-error @below {{one of them to prefetch for, got columns = -1, rows = -1, ahead = 8}}
#packing = #cpu.packing<ahead = 8>

// -----

// expected-error @below {{expects a loop and the cache lines of each operand, or neither, got next = 0 and 0 lines}}
#prefetch = #cpu.prefetch<next = 0>

// -----

// An epilogue is cut in two only where steps of the next tile come between.
// expected-error @below {{expects stages in a pipeline only, and no rows side by side there, got pipeline = 0, stages = 2}}
#epilogue = #cpu.epilogue<stages = 2>

// -----

// Operands are packed inside of loops that there are.
// expected-error @below {{expects copies inside of at most 0 loops, got columns = 2, rows = -1}}
#contraction = #cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> packing = <columns = 2>>

// -----

// expected-error @below {{expects the next iteration of a loop of the nest, got loop 0}}
#contraction = #cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> prefetch = <next = 0, lines = [4, 0]>>

// -----

// expected-error @below {{expects a loop for rows}}
#contraction = #cpu.contraction<tile = <lane = 0, rows = 1, vectors = 2> epilogue = <pipeline = 2>>

// -----

// expected-error @below {{expects 16 or 32 rows of one or two vectors, and packed columns, for the matrix unit}}
#contraction = #cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> reduction = <pairs = 2, amx = true> packing = <columns = 1>>

// -----

// Where blocks cut the reduction, a tile's steps are not all that its next tile could run beside.
#columns = affine_map<(i, j, k) -> (k, j)>
#rows = affine_map<(i, j, k) -> (i, k)>
#sums = affine_map<(i, j, k) -> (i, j)>
train.program @p {
  // expected-error @below {{expected one reduction loop, in one block, where epilogues run inside of it or its steps prefetch rows or columns, got 1 loops in a nest of 1}}
  train.kernel @k schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> nest = [<loop = 2, size = 32>] prefetch = <rows = true>>, lanes = 4>)
      attributes {shared = 2 : i64} {
  ^bb0(%x: tensor<16x64xf32>, %w: tensor<64x16xf32>):
    %e = tensor.empty() : tensor<16x16xf32>
    %zero = arith.constant 0.0 : f32
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
    %y = linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<16x64xf32>, tensor<64x16xf32>) outs(%init : tensor<16x16xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<16x16xf32>
    train.yield %y : tensor<16x16xf32>
  }
}
