// One case for each message of the verifier.
// RUN: dlc-opt %s --dlc-verify-fuse --verify-diagnostics --split-input-file

#m = affine_map<(d0, d1) -> (d0, d1)>
train.program @p {
  train.input @x : tensor<8x4xf32>
  train.output prediction @y : tensor<8x4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x4xf32>
    // expected-error @below {{is not expected in a function after the stage fuse}}
    %y = nn.relu %x : tensor<8x4xf32>
    train.write %y, @y : tensor<8x4xf32>
  }
}

// -----

train.program @p {
  // expected-error @below {{expects a number of shared loops}}
  train.kernel @k {
  ^bb0(%x: tensor<8x4xf32>):
    train.yield %x : tensor<8x4xf32>
  }
}

// -----

train.program @p {
  train.kernel @k attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<8x4xf32>):
    // expected-error @below {{is not expected in a kernel: generics and what initialises them are}}
    %y = tensor.collapse_shape %x [[0, 1]] : tensor<8x4xf32> into tensor<32xf32>
    train.yield %y : tensor<32xf32>
  }
}

// -----

#m = affine_map<(d0, d1) -> (d0, d1)>
train.program @p {
  train.kernel @k attributes {shared = 2 : i64} {
  ^bb0(%x: tensor<8x4xf32>):
    %c = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<8x4xf32>
    %y = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      // expected-error @below {{captures a scalar}}
      %0 = arith.addf %a, %c : f32
      linalg.yield %0 : f32
    } -> tensor<8x4xf32>
    train.yield %y : tensor<8x4xf32>
  }
}

// -----

#m = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
train.program @p {
  train.kernel @k attributes {shared = 2 : i64} {
  ^bb0(%x: tensor<8x8xf32>):
    %e = tensor.empty() : tensor<8x8xf32>
    %y = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = math.exp %a : f32
      linalg.yield %0 : f32
    } -> tensor<8x8xf32>
    // expected-error @below {{needs of another generic what other iterations of the shared loops made (operand 0)}}
    %z = linalg.generic {indexing_maps = [#t, #m], iterator_types = ["parallel", "parallel"]}
        ins(%y : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = math.exp %a : f32
      linalg.yield %0 : f32
    } -> tensor<8x8xf32>
    train.yield %z : tensor<8x8xf32>
  }
}

// -----

#x = affine_map<(d0, d1) -> (d0, d1)>
#y = affine_map<(d0, d1) -> (d1)>
train.program @p {
  train.kernel @k attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<8x4xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // expected-error @below {{has a reduction loop before a parallel one}}
    %y = linalg.generic {indexing_maps = [#x, #y], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<8x4xf32>) outs(%init : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    train.yield %y : tensor<4xf32>
  }
}

// -----

#m = affine_map<(d0, d1) -> (d0, d1)>
train.program @p {
  // expected-error @below {{has two neighbouring loops that move together through all its tensors, expected one}}
  train.kernel @k attributes {shared = 2 : i64} {
  ^bb0(%x: tensor<8x4xf32>):
    %e = tensor.empty() : tensor<8x4xf32>
    %y = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x4xf32>
    train.yield %y : tensor<8x4xf32>
  }
}
