// What the stage layout promises is checked.
// RUN: dlc-opt %s --split-input-file --dlc-verify-layout --verify-diagnostics

#id = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
train.program @order {
  train.input @x : tensor<4x8xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<4x8xf32>
    %empty = tensor.empty() : tensor<8x4xf32>
    // expected-error @below {{does not write its result in the order of its parallel loops}}
    %y = linalg.generic {indexing_maps = [#id, #swapped], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<4x8xf32>) outs(%empty : tensor<8x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>
train.program @across {
  train.input @x : tensor<4x8xf32>
  train.state parameter @w : tensor<16x8xf32>
  train.output prediction @y : tensor<4x16xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<4x8xf32>
    %w = train.read @w : tensor<16x8xf32>
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<4x16xf32>
    %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x16xf32>) -> tensor<4x16xf32>
    // expected-error @below {{reads operand 1 across the loop that its result is stored along}}
    %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<4x8xf32>, tensor<16x8xf32>) outs(%filled : tensor<4x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    } -> tensor<4x16xf32>
    train.write %y, @y : tensor<4x16xf32>
  }
}

// -----

#reversed = affine_map<(d0, d1) -> (d1)>
#xs = affine_map<(d0, d1) -> (d1, d0)>
train.program @reduction_first {
  train.input @x : tensor<4x8xf32>
  train.output prediction @y : tensor<4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<4xf32>
    %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    // expected-error @below {{has a reduction loop before a parallel one}}
    %y = linalg.generic {indexing_maps = [#xs, #reversed], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<4x8xf32>) outs(%filled : tensor<4xf32>) {
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %c, %a : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    train.write %y, @y : tensor<4xf32>
  }
}
