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
  train.kernel @k schedule(#cpu.schedule<#cpu.contraction<lane = 0 rows = 1 vectors = 1>, lanes = 4>)
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
