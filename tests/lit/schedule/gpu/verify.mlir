// What a schedule for GPUs must be.
// RUN: dlc-opt %s --split-input-file --dlc-verify-schedule-gpu --verify-diagnostics

train.program @p {
  // expected-error @+1 {{expected a schedule for GPUs (#cuda.schedule)}}
  train.kernel @k attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
}

// -----

train.program @p {
  // expected-error @+1 {{expected a contraction with at most an elementwise operation after it}}
  train.kernel @k schedule(#cuda.schedule<#cuda.contraction<rows = 32 columns = 32 steps = 16 thread_rows = 2 thread_columns = 2>, threads = 256 grid = 1>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
}

// -----

train.program @p {
  // expected-error @+1 {{needs 3000000000 blocks of threads, a launch has at most 2147483647: make the sizes smaller}}
  train.kernel @k schedule(#cuda.schedule<#cuda.points<members = 1>, threads = 256 grid = 3000000000>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
}

// -----

train.program @p {
  // expected-error @+1 {{expects a number of members that divides the 256 threads, got 3}}
  train.kernel @k schedule(#cuda.schedule<#cuda.points<members = 3>, threads = 256 grid = 1>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
}
