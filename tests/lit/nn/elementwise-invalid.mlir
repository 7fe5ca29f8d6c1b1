// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @dtypes(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // nn.add C1
  // expected-error@+1 {{'nn.add' op expects operands of one dtype, got 'f32' and 'f64'}}
  %0 = nn.add %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

func.func @shapes(%a: tensor<4x3xf32>, %b: tensor<4xf32>) {
  // nn.mul C2
  // expected-error@+1 {{'nn.mul' op expects shapes that broadcast, got [4, 3] and [4]}}
  %0 = nn.mul %a, %b : tensor<4x3xf32>, tensor<4xf32>
  return
}

// -----

func.func @quotient(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // nn.div C1
  // expected-error@+1 {{'nn.div' op expects operands of one dtype, got 'f32' and 'i32'}}
  %0 = nn.div %a, %b : tensor<4xf32>, tensor<4xi32>
  return
}

// -----

func.func @power(%a: tensor<4xf32>, %b: tensor<3xf32>) {
  // nn.pow C2
  // expected-error@+1 {{'nn.pow' op expects shapes that broadcast, got [4] and [3]}}
  %0 = nn.pow %a, %b : tensor<4xf32>, tensor<3xf32>
  return
}

// -----

func.func @larger(%a: tensor<4xf32>, %b: tensor<3xf32>) {
  // nn.max C2
  // expected-error@+1 {{'nn.max' op expects shapes that broadcast, got [4] and [3]}}
  %0 = nn.max %a, %b : tensor<4xf32>, tensor<3xf32>
  return
}

// -----

func.func @smaller(%a: tensor<4xf32>, %b: tensor<3xf32>) {
  // nn.min C2
  // expected-error@+1 {{'nn.min' op expects shapes that broadcast, got [4] and [3]}}
  %0 = nn.min %a, %b : tensor<4xf32>, tensor<3xf32>
  return
}

// -----

func.func @logical_and(%a: tensor<4xi1>, %b: tensor<3xi1>) {
  // nn.logical_and C1
  // expected-error@+1 {{'nn.logical_and' op expects shapes that broadcast, got [4] and [3]}}
  %0 = nn.logical_and %a, %b : tensor<4xi1>, tensor<3xi1>
  return
}

// -----

func.func @logical_or(%a: tensor<4xi1>, %b: tensor<3xi1>) {
  // nn.logical_or C1
  // expected-error@+1 {{'nn.logical_or' op expects shapes that broadcast, got [4] and [3]}}
  %0 = nn.logical_or %a, %b : tensor<4xi1>, tensor<3xi1>
  return
}

// -----

func.func @logical_xor(%a: tensor<4xi1>, %b: tensor<3xi1>) {
  // nn.logical_xor C1
  // expected-error@+1 {{'nn.logical_xor' op expects shapes that broadcast, got [4] and [3]}}
  %0 = nn.logical_xor %a, %b : tensor<4xi1>, tensor<3xi1>
  return
}

// -----

func.func @compare_dtypes(%a: tensor<4xf32>, %b: tensor<4xi64>) {
  // nn.compare C1
  // expected-error@+1 {{'nn.compare' op expects operands of one dtype, got 'f32' and 'i64'}}
  %0 = nn.compare eq %a, %b : tensor<4xf32>, tensor<4xi64>
  return
}

// -----

func.func @compare_shapes(%a: tensor<4xf32>, %b: tensor<3xf32>) {
  // nn.compare C2
  // expected-error@+1 {{'nn.compare' op expects shapes that broadcast, got [4] and [3]}}
  %0 = nn.compare eq %a, %b : tensor<4xf32>, tensor<3xf32>
  return
}

// -----

// Dims of equal bound but different names do not mix.
func.func @names(%a: tensor<?xf32, #nn.dims<batch>>, %b: tensor<?xf32, #nn.dims<sequence>>) {
  // nn.sub C2
  // expected-error@+1 {{'nn.sub' op expects shapes that broadcast, got [batch] and [sequence]}}
  %0 = nn.sub %a, %b : tensor<?xf32, #nn.dims<batch>>, tensor<?xf32, #nn.dims<sequence>>
  return
}

// -----

func.func @unnamed(%a: tensor<?xf32>) {
  // nn C2
  // expected-error@+1 {{'nn.div' op expects the dynamic dims of operand 0 to have names (#nn.dims), got 'tensor<?xf32>'}}
  %0 = nn.div %a, %a : tensor<?xf32>, tensor<?xf32>
  return
}

// -----

func.func @not_a_tensor(%a: memref<4xf32>) {
  // nn C1
  // expected-error@+1 {{'nn.max' op operand #0 must be ranked tensor of 32-bit float or 64-bit float or bfloat16 type}}
  %0 = "nn.max"(%a, %a) : (memref<4xf32>, memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dtype_of_operand(%a: tensor<4xi8>) {
  // nn C1
  // expected-error@+1 {{'nn.exp' op operand #0 must be ranked tensor}}
  %0 = nn.exp %a : tensor<4xi8>
  return
}

// -----

func.func @bytes_are_not_added(%a: tensor<4xui8>) {
  // nn C1
  // expected-error@+1 {{'nn.add' op operand #0 must be ranked tensor}}
  %0 = nn.add %a, %a : tensor<4xui8>, tensor<4xui8>
  return
}

// -----

func.func @fma_addend(%a: tensor<4xf32>, %c: tensor<4xf64>) {
  // nn.fma C1
  // expected-error@+1 {{'nn.fma' op expects operands of one dtype, got 'f32' and 'f64'}}
  %0 = nn.fma %a, %a, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf64>
  return
}

// -----

func.func @fma_product(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // nn.fma C1
  // expected-error@+1 {{'nn.fma' op expects operands of one dtype, got 'f32' and 'f64'}}
  %0 = nn.fma %a, %b, %a : tensor<4xf32>, tensor<4xf64>, tensor<4xf32>
  return
}

// -----

func.func @fma_shapes(%a: tensor<4xf32>, %c: tensor<3xf32>) {
  // nn.fma C2
  // expected-error@+1 {{'nn.fma' op expects shapes that broadcast, got [4] and [3]}}
  %0 = nn.fma %a, %a, %c : tensor<4xf32>, tensor<4xf32>, tensor<3xf32>
  return
}

// -----

func.func @select_branches(%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xi64>) {
  // nn.select C1
  // expected-error@+1 {{'nn.select' op expects operands of one dtype, got 'f32' and 'i64'}}
  %0 = nn.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>, tensor<4xi64>
  return
}

// -----

func.func @select_shapes(%p: tensor<3xi1>, %a: tensor<4xf32>) {
  // nn.select C2
  // expected-error@+1 {{'nn.select' op expects shapes that broadcast, got [3] and [4]}}
  %0 = nn.select %p, %a, %a : tensor<3xi1>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @cast_to_function(%a: tensor<4xf32>) {
  // nn.cast C1
  // expected-error@+1 {{'nn.cast' op expects a dtype to cast to, got '() -> ()'}}
  %0 = nn.cast %a to () -> () : tensor<4xf32>
  return
}

// -----

func.func @clip_range(%a: tensor<4xf32>) {
  // nn.clip C1
  // expected-error@+1 {{'nn.clip' op expects low <= high, got 1.000000 and 0.000000}}
  %0 = nn.clip %a {low = 1.0 : f64, high = 0.0 : f64} : tensor<4xf32>
  return
}

// -----

func.func @clip_to_nan(%a: tensor<4xf32>) {
  // nn.clip C1
  // expected-error@+1 {{'nn.clip' op expects low <= high, got nan and 1.000000}}
  %0 = nn.clip %a {low = 0x7FF8000000000000 : f64, high = 1.0 : f64} : tensor<4xf32>
  return
}

// -----

func.func @result_type(%a: tensor<4xf32>) {
  // nn C4
  // expected-error@+2 {{'nn.add' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error@+1 {{'nn.add' op failed to infer returned types}}
  %0 = "nn.add"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}
