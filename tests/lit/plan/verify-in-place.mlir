// A result may be written where an operand lies only if every element is read before it is overwritten, in
// every order in which the kernel may run. The verifier proves it from the maps; what the schedule says does
// not count.
// RUN: dlc-opt %s --dlc-verify-plan --split-input-file --verify-diagnostics

#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
train.program @transposed attributes {plan = #train.program_plan<states = 0, arena = 64, bound = 64>} {
  train.state parameter @w at 0 : tensor<4x4xf32>
  train.kernel @k schedule(#cpu.schedule<#cpu.columns<vectors = 1>, lanes = 1
      inplace = [0, 0]>) attributes {shared = 2 : i64} {
  ^bb0(%x: tensor<4x4xf32>):
    %0 = tensor.empty() : tensor<4x4xf32>
    %1 = linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<4x4xf32>) outs(%0 : tensor<4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x4xf32>
    train.yield %1 : tensor<4x4xf32>
  }
  train.function apply @apply {
    %a = train.place of @w value 1 : memref<4x4xf32>
    %b = train.place of @w value 2 : memref<4x4xf32>
    // expected-error @below {{writes destination 0 over operand 0 at byte 0, which may still be read}}
    train.launch @k(%a) into (%b) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  }
}

// -----

// Reversed: what this iteration reads, another one may have overwritten.
#id = affine_map<(i) -> (i)>
#reversed = affine_map<(i) -> (15 - i)>
train.program @reversed attributes {plan = #train.program_plan<states = 0, arena = 64, bound = 64>} {
  train.state parameter @w at 0 : tensor<16xf32>
  train.kernel @k schedule(#cpu.schedule<#cpu.columns<vectors = 1>, lanes = 1
      inplace = [0, 0]>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<16xf32>):
    %0 = tensor.empty() : tensor<16xf32>
    %1 = linalg.generic {indexing_maps = [#reversed, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<16xf32>) outs(%0 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16xf32>
    train.yield %1 : tensor<16xf32>
  }
  train.function apply @apply {
    %a = train.place of @w value 1 : memref<16xf32>
    %b = train.place of @w value 2 : memref<16xf32>
    // expected-error @below {{writes destination 0 over operand 0 at byte 0, which may still be read}}
    train.launch @k(%a) into (%b) : (memref<16xf32>, memref<16xf32>) -> ()
  }
}

// -----

// The second operation of the kernel reads what the first one's result has replaced.
#id = affine_map<(i) -> (i)>
train.program @read_later attributes {plan = #train.program_plan<states = 0, arena = 128, bound = 128>} {
  train.state parameter @w at 0 : tensor<16xf32>
  train.kernel @k schedule(#cpu.schedule<#cpu.columns<vectors = 1>, lanes = 1
      inplace = [0, 0]>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<16xf32>):
    %0 = tensor.empty() : tensor<16xf32>
    %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<16xf32>) outs(%0 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %4 = arith.negf %in : f32
      linalg.yield %4 : f32
    } -> tensor<16xf32>
    %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<16xf32>) outs(%0 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16xf32>
    train.yield %1, %2 : tensor<16xf32>, tensor<16xf32>
  }
  train.function apply @apply {
    %a = train.place of @w value 1 : memref<16xf32>
    %b = train.place of @w value 2 : memref<16xf32>
    %c = train.place at 64 value 3 : memref<16xf32>
    // expected-error @below {{writes destination 0 over operand 0 at byte 0, which may still be read}}
    train.launch @k(%a) into (%b, %c) : (memref<16xf32>, memref<16xf32>, memref<16xf32>) -> ()
  }
}

// -----

// All of a row is read for its sum, then each element once more: in place where the rows are shared, not
// where the elements are.
#row = affine_map<(i) -> (i)>
#first = affine_map<(i, j) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
train.program @rows attributes {plan = #train.program_plan<states = 0, arena = 256, bound = 256>} {
  train.state parameter @w at 0 : tensor<4x8xf32>
  train.state parameter @v at 128 : tensor<4x8xf32>
  train.kernel @shares_rows schedule(#cpu.schedule<#cpu.rows<unroll = 8 along = [1, 1]>, lanes = 8 split = <loop = 0, size = 2, chunks = 2>
      inplace = [0, 0]>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<4x8xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<4x8xf32>
    %1 = tensor.empty() : tensor<4xf32>
    %2 = linalg.fill ins(%zero : f32) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
    %3 = linalg.generic {indexing_maps = [#id, #first], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x8xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %5 = arith.addf %in, %out : f32
      linalg.yield %5 : f32
    } -> tensor<4xf32>
    %4 = linalg.generic {indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x, %3 : tensor<4x8xf32>, tensor<4xf32>) outs(%0 : tensor<4x8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %5 = arith.divf %in, %in_0 : f32
      linalg.yield %5 : f32
    } -> tensor<4x8xf32>
    train.yield %4 : tensor<4x8xf32>
  }
  train.kernel @reads_rows schedule(#cpu.schedule<#cpu.columns<vectors = 1>, lanes = 1
      inplace = [0, 0]>) attributes {shared = 2 : i64} {
  ^bb0(%x: tensor<4x8xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<4x8xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x : tensor<4x8xf32>) outs(%1 : tensor<4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %3 = arith.addf %in, %out : f32
      linalg.yield %3 : f32
    } -> tensor<4x8xf32>
    train.yield %2 : tensor<4x8xf32>
  }
  train.function apply @apply {
    %a = train.place of @w value 1 : memref<4x8xf32>
    %b = train.place of @w value 2 : memref<4x8xf32>
    train.launch @shares_rows(%a) into (%b) : (memref<4x8xf32>, memref<4x8xf32>) -> ()
    %c = train.place of @v value 3 : memref<4x8xf32>
    %d = train.place of @v value 4 : memref<4x8xf32>
    // expected-error @below {{writes destination 0 over operand 0 at byte 128, which may still be read}}
    train.launch @reads_rows(%c) into (%d) : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  }
}

// -----

// Panels: the same places by floordiv and mod on both sides, and by different ones.
#panels = affine_map<(i, j) -> (j floordiv 4, i, j mod 4)>
#others = affine_map<(i, j) -> (j mod 4, i, j floordiv 4)>
#id = affine_map<(i, j) -> (i, j)>
train.program @panels attributes {plan = #train.program_plan<states = 0, arena = 256, bound = 256>} {
  train.state parameter @w at 0 : tensor<4x2x4xf32>
  train.state parameter @v at 128 : tensor<4x2x4xf32>
  train.input @x : tensor<2x16xf32>
  train.kernel @same schedule(#cpu.schedule<#cpu.columns<vectors = 1>, lanes = 4
      inplace = [0, 0]>) attributes {shared = 2 : i64} {
  ^bb0(%w: tensor<4x2x4xf32>, %x: tensor<2x16xf32>):
    %0 = tensor.empty() : tensor<4x2x4xf32>
    %1 = linalg.generic {indexing_maps = [#panels, #id, #panels], iterator_types = ["parallel", "parallel"]}
        ins(%w, %x : tensor<4x2x4xf32>, tensor<2x16xf32>) outs(%0 : tensor<4x2x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %2 = arith.subf %in, %in_0 : f32
      linalg.yield %2 : f32
    } -> tensor<4x2x4xf32>
    train.yield %1 : tensor<4x2x4xf32>
  }
  train.kernel @other schedule(#cpu.schedule<#cpu.columns<vectors = 1>, lanes = 4
      inplace = [0, 0]>) attributes {shared = 2 : i64} {
  ^bb0(%w: tensor<4x2x4xf32>, %x: tensor<2x16xf32>):
    %0 = tensor.empty() : tensor<4x2x4xf32>
    %1 = linalg.generic {indexing_maps = [#others, #id, #panels], iterator_types = ["parallel", "parallel"]}
        ins(%w, %x : tensor<4x2x4xf32>, tensor<2x16xf32>) outs(%0 : tensor<4x2x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %2 = arith.subf %in, %in_0 : f32
      linalg.yield %2 : f32
    } -> tensor<4x2x4xf32>
    train.yield %1 : tensor<4x2x4xf32>
  }
  train.function apply @apply {
    %x = train.place of @x value 0 : memref<2x16xf32>
    %a = train.place of @w value 1 : memref<4x2x4xf32>
    %b = train.place of @w value 2 : memref<4x2x4xf32>
    train.launch @same(%a, %x) into (%b) : (memref<4x2x4xf32>, memref<2x16xf32>, memref<4x2x4xf32>) -> ()
    %c = train.place of @v value 3 : memref<4x2x4xf32>
    %d = train.place of @v value 4 : memref<4x2x4xf32>
    // expected-error @below {{writes destination 0 over operand 0 at byte 128, which may still be read}}
    train.launch @other(%c, %x) into (%d) : (memref<4x2x4xf32>, memref<2x16xf32>, memref<4x2x4xf32>) -> ()
  }
}

// -----

// Positions that are computed may be any.
#id = affine_map<(i) -> (i)>
train.program @computed attributes {plan = #train.program_plan<states = 0, arena = 64, bound = 64>} {
  train.state parameter @w at 0 : tensor<16xf32>
  train.input @p : tensor<16xi64>
  train.kernel @k schedule(#cpu.schedule<#cpu.columns<vectors = 1>, lanes = 1
      inplace = [0, 0]>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<16xf32>, %p: tensor<16xi64>):
    %0 = tensor.empty() : tensor<16xf32>
    %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%p : tensor<16xi64>) outs(%0 : tensor<16xf32>) {
    ^bb0(%in: i64, %out: f32):
      %2 = arith.index_cast %in : i64 to index
      %3 = tensor.extract %x[%2] : tensor<16xf32>
      linalg.yield %3 : f32
    } -> tensor<16xf32>
    train.yield %1 : tensor<16xf32>
  }
  train.function apply @apply {
    %a = train.place of @w value 1 : memref<16xf32>
    %p = train.place of @p value 0 : memref<16xi64>
    %b = train.place of @w value 2 : memref<16xf32>
    // expected-error @below {{writes destination 0 over operand 0 at byte 0, which may still be read}}
    train.launch @k(%a, %p) into (%b) : (memref<16xf32>, memref<16xi64>, memref<16xf32>) -> ()
  }
}
