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
  train.kernel @k schedule(#cuda.schedule<#cuda.contraction<rows = 32 columns = 32 steps = 16 thread_rows = 2 thread_columns = 2 stages = 2 left = <bytes = 0> right = <bytes = 0>>, threads = 256 grid = 1>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
}

// -----

train.program @p {
  // expected-error @+1 {{expects tiles of warps of 16 by 8 elements, 256 threads in all, got #cuda.mma<}}
  train.kernel @k schedule(#cuda.schedule<#cuda.mma<rows = 64 columns = 64 steps = 16 warp_rows = 8 warp_columns = 64 stages = 2 left = <bytes = 0> right = <bytes = 0>>, threads = 256 grid = 1>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
}

// -----

train.program @p {
  // expected-error @+1 {{expected products that make elements, and products or sums along one side of their matrices}}
  train.kernel @k schedule(#cuda.schedule<#cuda.transient<rows = 64 along = 16 kept = [16] brought = [16]>, threads = 128 grid = 1>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
}

// -----

train.program @p {
  // expected-error @+1 {{expects a warp for 16 rows, positions in eights and numbers in sixteens, 128 threads in all, got #cuda.transient<}}
  train.kernel @k schedule(#cuda.schedule<#cuda.transient<rows = 64 along = 16 kept = [16] brought = [24]>, threads = 128 grid = 1>) attributes {shared = 1 : i64} {
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

// -----

#along = affine_map<(d0) -> (d0)>
train.program @p {
  // expected-error @+1 {{expected operations that have 4 neighbouring elements along the last shared loop}}
  train.kernel @k schedule(#cuda.schedule<#cuda.points<members = 1 elements = 4>, threads = 256 grid = 1>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<6xf32>):
    %empty = tensor.empty() : tensor<6xf32>
    %y = linalg.generic {indexing_maps = [#along, #along], iterator_types = ["parallel"]} ins(%x : tensor<6xf32>) outs(%empty : tensor<6xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    } -> tensor<6xf32>
    train.yield %y : tensor<6xf32>
  }
}

// -----

#map = affine_map<(d0) -> (d0)>
#sum = affine_map<(d0) -> ()>
train.program @p {
  // expected-error @+1 {{needs 233472 bytes of shared memory, a block of threads has 49152}}
  train.kernel @k schedule(#cuda.schedule<#cuda.points<members = 256 partials = [256] shared = 57344>, threads = 1024 grid = 1>) attributes {shared = 0 : i64} {
  ^bb0(%x: tensor<4096xf32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<f32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
    %y = linalg.generic {indexing_maps = [#map, #sum], iterator_types = ["reduction"]} ins(%x : tensor<4096xf32>) outs(%start : tensor<f32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<f32>
    train.yield %y : tensor<f32>
  }
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
train.program @p {
  // expected-error @+3 {{expects copies of 4, 8 or 16 bytes, or of 0 for elements that go through registers, got bytes = 12}}
  // expected-error @+2 {{failed to parse Gpu_ContractionAttr parameter 'left'}}
  // expected-error @+1 {{failed to parse Gpu_ScheduleAttr parameter 'form'}}
  train.kernel @k schedule(#cuda.schedule<#cuda.contraction<rows = 32 columns = 32 steps = 16 thread_rows = 2 thread_columns = 2 stages = 2 left = <bytes = 12> right = <bytes = 0>>, threads = 256 grid = 1>) attributes {shared = 2 : i64} {
  ^bb0(%x: tensor<32x34xf32>, %w: tensor<34x32xf32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<32x32xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x32xf32>) -> tensor<32x32xf32>
    %y = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<32x34xf32>, tensor<34x32xf32>) outs(%start : tensor<32x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.mulf %a, %b : f32
      %e = arith.addf %c, %d : f32
      linalg.yield %e : f32
    } -> tensor<32x32xf32>
    train.yield %y : tensor<32x32xf32>
  }
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
train.program @p {
  // expected-error @+1 {{expects 1 to 4 stages, got #cuda.contraction<}}
  train.kernel @k schedule(#cuda.schedule<#cuda.contraction<rows = 32 columns = 32 steps = 16 thread_rows = 2 thread_columns = 2 stages = 5 left = <bytes = 0> right = <bytes = 0>>, threads = 256 grid = 1>) attributes {shared = 2 : i64} {
  ^bb0(%x: tensor<32x34xf32>, %w: tensor<34x32xf32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<32x32xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x32xf32>) -> tensor<32x32xf32>
    %y = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<32x34xf32>, tensor<34x32xf32>) outs(%start : tensor<32x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.mulf %a, %b : f32
      %e = arith.addf %c, %d : f32
      linalg.yield %e : f32
    } -> tensor<32x32xf32>
    train.yield %y : tensor<32x32xf32>
  }
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
train.program @p {
  // expected-error @+1 {{expected at least 2 stages for 34 steps in rounds of 16}}
  train.kernel @k schedule(#cuda.schedule<#cuda.contraction<rows = 32 columns = 32 steps = 16 thread_rows = 2 thread_columns = 2 stages = 1 left = <bytes = 0> right = <bytes = 0>>, threads = 256 grid = 1>) attributes {shared = 2 : i64} {
  ^bb0(%x: tensor<32x34xf32>, %w: tensor<34x32xf32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<32x32xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x32xf32>) -> tensor<32x32xf32>
    %y = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<32x34xf32>, tensor<34x32xf32>) outs(%start : tensor<32x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.mulf %a, %b : f32
      %e = arith.addf %c, %d : f32
      linalg.yield %e : f32
    } -> tensor<32x32xf32>
    train.yield %y : tensor<32x32xf32>
  }
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
train.program @p {
  // expected-error @+1 {{expected copies of operand 0 of whole elements and at most 8 bytes, got #cuda.copy<bytes = 16 along_steps = true>}}
  train.kernel @k schedule(#cuda.schedule<#cuda.contraction<rows = 32 columns = 32 steps = 16 thread_rows = 2 thread_columns = 2 stages = 2 left = <bytes = 16 along_steps = true> right = <bytes = 16>>, threads = 256 grid = 1>) attributes {shared = 2 : i64} {
  ^bb0(%x: tensor<32x34xf32>, %w: tensor<34x32xf32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<32x32xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x32xf32>) -> tensor<32x32xf32>
    %y = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<32x34xf32>, tensor<34x32xf32>) outs(%start : tensor<32x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.mulf %a, %b : f32
      %e = arith.addf %c, %d : f32
      linalg.yield %e : f32
    } -> tensor<32x32xf32>
    train.yield %y : tensor<32x32xf32>
  }
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
train.program @p {
  // expected-error @+1 {{expected copies of operand 1 of whole elements and at most 4 bytes, got #cuda.copy<bytes = 8 along_steps = true>}}
  train.kernel @k schedule(#cuda.schedule<#cuda.contraction<rows = 32 columns = 32 steps = 16 thread_rows = 2 thread_columns = 2 stages = 2 left = <bytes = 8 along_steps = true> right = <bytes = 8 along_steps = true>>, threads = 256 grid = 1>) attributes {shared = 2 : i64} {
  ^bb0(%x: tensor<32x34xf32>, %w: tensor<34x32xf32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<32x32xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x32xf32>) -> tensor<32x32xf32>
    %y = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<32x34xf32>, tensor<34x32xf32>) outs(%start : tensor<32x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.mulf %a, %b : f32
      %e = arith.addf %c, %d : f32
      linalg.yield %e : f32
    } -> tensor<32x32xf32>
    train.yield %y : tensor<32x32xf32>
  }
}

// -----

#row = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> (d0)>
train.program @p {
  // Each of 32 threads has 4 elements of a row of 128.
  train.kernel @k schedule(#cuda.schedule<#cuda.points<members = 32 partials = [32, 1] turns = 4>, threads = 256 grid = 8>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<64x128xf32>):
    %zero = arith.constant 0.0 : f32
    %none = tensor.empty() : tensor<64xf32>
    %start = linalg.fill ins(%zero : f32) outs(%none : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x128xf32>) outs(%start : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<64xf32>
    %empty = tensor.empty() : tensor<64x128xf32>
    %y = linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<64x128xf32>, tensor<64xf32>) outs(%empty : tensor<64x128xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.subf %a, %b : f32
      linalg.yield %d : f32
    } -> tensor<64x128xf32>
    train.yield %y : tensor<64x128xf32>
  }
}

// -----

#row = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> (d0)>
train.program @p {
  // expected-error @+1 {{expected a row of which each thread has 8 elements, and no thread without a row}}
  train.kernel @k schedule(#cuda.schedule<#cuda.points<members = 32 partials = [32, 1] turns = 8>, threads = 256 grid = 8>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<64x128xf32>):
    %zero = arith.constant 0.0 : f32
    %none = tensor.empty() : tensor<64xf32>
    %start = linalg.fill ins(%zero : f32) outs(%none : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x128xf32>) outs(%start : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<64xf32>
    %empty = tensor.empty() : tensor<64x128xf32>
    %y = linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<64x128xf32>, tensor<64xf32>) outs(%empty : tensor<64x128xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.subf %a, %b : f32
      linalg.yield %d : f32
    } -> tensor<64x128xf32>
    train.yield %y : tensor<64x128xf32>
  }
}

// -----

#row = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> (d0)>
train.program @p {
  // expected-error @+1 {{expected a row of which each thread has 4 elements, and no thread without a row}}
  train.kernel @k schedule(#cuda.schedule<#cuda.points<members = 32 partials = [32, 1] turns = 4>, threads = 256 grid = 9>) attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<64x128xf32>):
    %zero = arith.constant 0.0 : f32
    %none = tensor.empty() : tensor<64xf32>
    %start = linalg.fill ins(%zero : f32) outs(%none : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x128xf32>) outs(%start : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<64xf32>
    %empty = tensor.empty() : tensor<64x128xf32>
    %y = linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<64x128xf32>, tensor<64xf32>) outs(%empty : tensor<64x128xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.subf %a, %b : f32
      linalg.yield %d : f32
    } -> tensor<64x128xf32>
    train.yield %y : tensor<64x128xf32>
  }
}
