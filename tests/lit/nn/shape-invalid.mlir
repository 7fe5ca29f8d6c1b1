// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @reshape_count(%x: tensor<4x6xf32>) {
  // nn.reshape C2
  // expected-error@+1 {{'nn.reshape' op keeps the number of elements, got [4, 6] (24) and [5, 5] (25)}}
  %0 = nn.reshape %x : tensor<4x6xf32> -> tensor<5x5xf32>
  return
}

// -----

func.func @reshape_named(%x: tensor<?x6xf32, #nn.dims<batch, _>>) {
  // nn.reshape C2
  // expected-error@+1 {{'nn.reshape' op keeps the number of elements, got [batch, 6] (6*batch) and [sequence, 6] (6*sequence)}}
  %0 = nn.reshape %x : tensor<?x6xf32, #nn.dims<batch, _>> -> tensor<?x6xf32, #nn.dims<sequence, _>>
  return
}

// -----

func.func @reshape_dtype(%x: tensor<4xf32>) {
  // nn.reshape C1
  // expected-error@+1 {{'nn.reshape' op keeps the dtype, got 'f32' and 'i32'}}
  %0 = nn.reshape %x : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @reshape_unnamed(%x: tensor<?x4xf32>) {
  // nn C2
  // expected-error@+1 {{'nn.reshape' op expects the dynamic dims of operand 0 to have names (#nn.dims), got 'tensor<?x4xf32>'}}
  %0 = nn.reshape %x : tensor<?x4xf32> -> tensor<4x?xf32>
  return
}

// -----

func.func @permutation_length(%x: tensor<4x6xf32>) {
  // nn.transpose C1
  // expected-error@+1 {{'nn.transpose' op expects 2 dims in the permutation, one per dim, got 1}}
  %0 = nn.transpose %x [0] : tensor<4x6xf32>
  return
}

// -----

func.func @permutation_twice(%x: tensor<4x6xf32>) {
  // nn.transpose C3
  // expected-error@+1 {{'nn.transpose' op expects each dim once in the permutation, got dim 1 twice}}
  %0 = nn.transpose %x [1, 1] : tensor<4x6xf32>
  return
}

// -----

func.func @permutation_range(%x: tensor<4x6xf32>) {
  // nn.transpose C2
  // expected-error@+1 {{'nn.transpose' op expects an axis in [0, 2), got 2}}
  %0 = nn.transpose %x [0, 2] : tensor<4x6xf32>
  return
}

// -----

func.func @expand_shape(%x: tensor<4x3xf32>) {
  // nn.expand C2
  // expected-error@+1 {{'nn.expand' op expects a shape that broadcasts to the result's, got [4, 3] and [4, 6]}}
  %0 = nn.expand %x : tensor<4x3xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @expand_shrinks(%x: tensor<4xf32>) {
  // nn.expand C2
  // expected-error@+1 {{'nn.expand' op expects a shape that broadcasts to the result's, got [4] and [1]}}
  %0 = nn.expand %x : tensor<4xf32> -> tensor<1xf32>
  return
}

// -----

func.func @expand_dtype(%x: tensor<4xf32>) {
  // nn.expand C1
  // expected-error@+1 {{'nn.expand' op keeps the dtype, got 'f32' and 'f64'}}
  %0 = nn.expand %x : tensor<4xf32> -> tensor<2x4xf64>
  return
}

// -----

func.func @concat_nothing() {
  // nn.concat C1
  // expected-error@+2 {{'nn.concat' op expects at least one operand}}
  // expected-error@+1 {{'nn.concat' op failed to infer returned types}}
  %0 = "nn.concat"() {axis = 0 : i64} : () -> tensor<4xf32>
  return
}

// -----

func.func @concat_axis(%a: tensor<2x3xf32>) {
  // nn.concat C2
  // expected-error@+1 {{'nn.concat' op expects an axis in [0, 2), got 2}}
  %0 = nn.concat %a, %a axis 2 : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @concat_dtypes(%a: tensor<2x3xf32>, %b: tensor<2x3xi64>) {
  // nn.concat C3
  // expected-error@+1 {{'nn.concat' op expects operands of one dtype, got 'f32' and 'i64'}}
  %0 = nn.concat %a, %b axis 1 : tensor<2x3xf32>, tensor<2x3xi64>
  return
}

// -----

func.func @concat_dims(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) {
  // nn.concat C4
  // expected-error@+1 {{'nn.concat' op expects equal dims except along axis 1, got [2, 3] and [4, 3]}}
  %0 = nn.concat %a, %b axis 1 : tensor<2x3xf32>, tensor<4x3xf32>
  return
}

// -----

func.func @concat_ranks(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // nn.concat C4
  // expected-error@+1 {{'nn.concat' op expects equal dims except along axis 1, got [2, 3] and [2]}}
  %0 = nn.concat %a, %b axis 1 : tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @concat_named(%a: tensor<?xf32, #nn.dims<batch>>) {
  // nn.concat C5
  // expected-error@+1 {{'nn.concat' op expects static sizes along axis 0, got batch}}
  %0 = nn.concat %a, %a axis 0 : tensor<?xf32, #nn.dims<batch>>, tensor<?xf32, #nn.dims<batch>>
  return
}

// -----

func.func @slice_entries(%x: tensor<4x6xf32>) {
  // nn.slice C1
  // expected-error@+1 {{'nn.slice' op expects 2 limits, one per dim, got 1}}
  %0 = nn.slice %x starts [0, 0] limits [4] steps [1, 1] : tensor<4x6xf32>
  return
}

// -----

func.func @slice_range(%x: tensor<4xf32>) {
  // nn.slice C3
  // expected-error@+1 {{'nn.slice' op expects a start and a limit in [0, 4] for dim 0, got 0 and 5}}
  %0 = nn.slice %x starts [0] limits [5] steps [1] : tensor<4xf32>
  return
}

// -----

func.func @slice_step(%x: tensor<4xf32>) {
  // nn.slice C4
  // expected-error@+1 {{'nn.slice' op expects a step above 0 for dim 0, got 0}}
  %0 = nn.slice %x starts [0] limits [4] steps [0] : tensor<4xf32>
  return
}

// -----

func.func @slice_named(%x: tensor<?xf32, #nn.dims<batch>>) {
  // nn.slice C2
  // expected-error@+1 {{'nn.slice' op expects dim batch to be taken whole (start 0, limit -1, step 1), got start 1, limit -1, step 1}}
  %0 = nn.slice %x starts [1] limits [-1] steps [1] : tensor<?xf32, #nn.dims<batch>>
  return
}

// -----

func.func @reverse_range(%x: tensor<4xf32>) {
  // nn.reverse C1
  // expected-error@+1 {{'nn.reverse' op expects an axis in [0, 1), got 1}}
  %0 = nn.reverse %x axes [1] : tensor<4xf32>
  return
}

// -----

func.func @reverse_twice(%x: tensor<4x6xf32>) {
  // nn.reverse C2
  // expected-error@+1 {{'nn.reverse' op expects distinct axes in increasing order, got 1 after 1}}
  %0 = nn.reverse %x axes [1, 1] : tensor<4x6xf32>
  return
}

// -----

func.func @reverse_named(%x: tensor<?xf32, #nn.dims<batch>>) {
  // nn.reverse C3
  // expected-error@+1 {{'nn.reverse' op expects static dims along its axes, got batch along axis 0}}
  %0 = nn.reverse %x axes [0] : tensor<?xf32, #nn.dims<batch>>
  return
}

// -----

func.func @pad_entries(%x: tensor<4x6xf32>) {
  // nn.pad C1
  // expected-error@+1 {{'nn.pad' op expects 2 high counts, one per dim, got 3}}
  %0 = nn.pad constant %x low [0, 0] high [0, 0, 0] interior [0, 0] value 0.0 : tensor<4x6xf32>
  return
}

// -----

func.func @pad_negative(%x: tensor<4xf32>) {
  // nn.pad C2
  // expected-error@+1 {{'nn.pad' op expects counts that are not negative for dim 0, got low -1, high 0, interior 0}}
  %0 = nn.pad constant %x low [-1] high [0] interior [0] value 0.0 : tensor<4xf32>
  return
}

// -----

func.func @pad_named(%x: tensor<?xf32, #nn.dims<batch>>) {
  // nn.pad C3
  // expected-error@+1 {{'nn.pad' op expects no padding along the named dim batch}}
  %0 = nn.pad constant %x low [1] high [0] interior [0] value 0.0 : tensor<?xf32, #nn.dims<batch>>
  return
}

// -----

func.func @pad_interior(%x: tensor<4xf32>) {
  // nn.pad C4
  // expected-error@+1 {{'nn.pad' op expects interior padding with mode constant only, got mode edge}}
  %0 = nn.pad edge %x low [1] high [0] interior [1] value 0.0 : tensor<4xf32>
  return
}

// -----

func.func @pad_reflect(%x: tensor<4xf32>) {
  // nn.pad C5
  // expected-error@+1 {{'nn.pad' op expects at most 3 elements of padding on each side of dim 0 with mode reflect, got low 0, high 4}}
  %0 = nn.pad reflect %x low [0] high [4] interior [0] value 0.0 : tensor<4xf32>
  return
}

// -----

func.func @pad_wrap(%x: tensor<4xf32>) {
  // nn.pad C5
  // expected-error@+1 {{'nn.pad' op expects at most 4 elements of padding on each side of dim 0 with mode wrap, got low 5, high 0}}
  %0 = nn.pad wrap %x low [5] high [0] interior [0] value 0.0 : tensor<4xf32>
  return
}

// -----

func.func @pad_edge(%x: tensor<0xf32>) {
  // nn.pad C5
  // expected-error@+1 {{'nn.pad' op expects at most 0 elements of padding on each side of dim 0 with mode edge, got low 1, high 0}}
  %0 = nn.pad edge %x low [1] high [0] interior [0] value 0.0 : tensor<0xf32>
  return
}

// -----

func.func @gather_axis(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // nn.gather C1
  // expected-error@+1 {{'nn.gather' op expects an axis in [0, 1), got 1}}
  %0 = nn.gather %x, %i axis 1 : tensor<4xf32>, tensor<2xi64>
  return
}

// -----

func.func @scatter_axis(%i: tensor<2xi64>, %u: tensor<2x8xf32>) {
  // nn.scatter_add C1
  // expected-error@+1 {{'nn.scatter_add' op expects an axis in [0, 2), got 2}}
  %0 = nn.scatter_add %i, %u axis 2 : tensor<2xi64>, tensor<2x8xf32> -> tensor<10x8xf32>
  return
}

// -----

func.func @scatter_updates(%i: tensor<2xi64>, %u: tensor<3x8xf32>) {
  // nn.scatter_add C2
  // expected-error@+1 {{'nn.scatter_add' op expects updates of shape [2, 8], got [3, 8]}}
  %0 = nn.scatter_add %i, %u axis 0 : tensor<2xi64>, tensor<3x8xf32> -> tensor<10x8xf32>
  return
}

// -----

func.func @scatter_dtype(%i: tensor<2xi64>, %u: tensor<2x8xf32>) {
  // nn.scatter_add C3
  // expected-error@+1 {{'nn.scatter_add' op keeps the dtype, got 'f32' and 'f64'}}
  %0 = nn.scatter_add %i, %u axis 0 : tensor<2xi64>, tensor<2x8xf32> -> tensor<10x8xf64>
  return
}

// -----

func.func @iota_axis() {
  // nn.iota C1
  // expected-error@+1 {{'nn.iota' op expects an axis in [0, 1), got 1}}
  %0 = nn.iota axis 1 : tensor<4xi64>
  return
}

// -----

func.func @gather_from_nothing(%x: tensor<0x4xf32>, %i: tensor<2xi64>) {
  // nn.gather C2
  // expected-error@+1 {{'nn.gather' op expects at least one slice to take along axis 0, got shape [0, 4]}}
  %0 = nn.gather %x, %i axis 0 : tensor<0x4xf32>, tensor<2xi64>
  return
}

// -----

func.func @gather_padding(%x: tensor<3x4xf32>, %i: tensor<2xi64>) {
  // nn.gather C3
  // expected-error@+1 {{'nn.gather' op expects a padding index in [0, 3), got 3}}
  %0 = nn.gather %x, %i axis 0 padding 3 : tensor<3x4xf32>, tensor<2xi64>
  return
}

// -----

func.func @gather_negative_padding(%x: tensor<?x4xf32, #nn.dims<rows, _>>, %i: tensor<2xi64>) {
  // nn.gather C3
  // expected-error@+1 {{'nn.gather' op expects a padding index in [0, rows), got -1}}
  %0 = nn.gather %x, %i axis 0 padding -1 : tensor<?x4xf32, #nn.dims<rows, _>>, tensor<2xi64>
  return
}

// -----

func.func @large(%x: tensor<4611686018427387904x4xf32>) {
  // nn C3
  // expected-error@+1 {{'nn.reverse' op operand 0 of type 'tensor<4611686018427387904x4xf32>' is too large}}
  %0 = nn.reverse %x axes [0] : tensor<4611686018427387904x4xf32>
  return
}

// -----

func.func @large_result(%x: tensor<1048576x1xf32>, %y: tensor<1x1048576xf32>) {
  // nn C3
  // expected-error@+1 {{'nn.add' op a result of shape [1048576, 1048576] is too large}}
  %0 = nn.add %x, %y : tensor<1048576x1xf32>, tensor<1x1048576xf32>
  return
}

// -----

func.func @large_rank(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>, %i: tensor<1x1xi64>) {
  // nn C3
  // expected-error@+1 {{'nn.gather' op a result of shape}}
  %0 = nn.gather %x, %i axis 0 : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>, tensor<1x1xi64>
  return
}
