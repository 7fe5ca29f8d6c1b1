// What the stage lower promises is checked.
// RUN: dlc-opt %s --split-input-file --dlc-verify-lower --verify-diagnostics

train.program @operation_left {
  train.input @x : tensor<4xf32>
  train.output prediction @y : tensor<4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<4xf32>
    // expected-error @below {{is not expected in a function after the stage lower}}
    %y = nn.relu %x : tensor<4xf32>
    train.write %y, @y : tensor<4xf32>
  }
}

// -----

#row = affine_map<(d0) -> (0, d0)>
#one = affine_map<(d0) -> (d0)>
train.program @dim_of_one {
  train.input @x : tensor<1x4xf32>
  train.output prediction @y : tensor<4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<1x4xf32>
    %empty = tensor.empty() : tensor<4xf32>
    // expected-error @below {{expected a plain tensor without dims of size 1}}
    %y = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel"]}
        ins(%x : tensor<1x4xf32>) outs(%empty : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    train.write %y, @y : tensor<4xf32>
  }
}

// -----

#one = affine_map<(d0) -> (d0)>
train.program @not_scalar {
  train.input @x : tensor<4xf32>
  train.output prediction @y : tensor<4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<4xf32>
    %empty = tensor.empty() : tensor<4xf32>
    %y = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      // expected-error @below {{is not expected in the body of a generic}}
      %made = tensor.empty() : tensor<4xf32>
      linalg.yield %in : f32
    } -> tensor<4xf32>
    train.write %y, @y : tensor<4xf32>
  }
}
