// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @dtypes(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error@+1 {{'nn.add' op expects operands of one dtype, got 'f32' and 'f64'}}
  %0 = nn.add %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

func.func @shapes(%a: tensor<4x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'nn.mul' op expects shapes that broadcast, got [4, 3] and [4]}}
  %0 = nn.mul %a, %b : tensor<4x3xf32>, tensor<4xf32>
  return
}

// -----

// Dims of equal bound but different names do not mix.
func.func @names(%a: tensor<?xf32, #nn.dims<batch>>, %b: tensor<?xf32, #nn.dims<sequence>>) {
  // expected-error@+1 {{'nn.sub' op expects shapes that broadcast, got [batch] and [sequence]}}
  %0 = nn.sub %a, %b : tensor<?xf32, #nn.dims<batch>>, tensor<?xf32, #nn.dims<sequence>>
  return
}

// -----

func.func @unnamed(%a: tensor<?xf32>) {
  // expected-error@+1 {{'nn.div' op expects the dynamic dims of operand 0 to have names (#nn.dims), got 'tensor<?xf32>'}}
  %0 = nn.div %a, %a : tensor<?xf32>, tensor<?xf32>
  return
}

// -----

func.func @not_a_tensor(%a: memref<4xf32>) {
  // expected-error@+1 {{'nn.max' op operand #0 must be ranked tensor of 32-bit float or 64-bit float or bfloat16 type}}
  %0 = "nn.max"(%a, %a) : (memref<4xf32>, memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dtype_of_operand(%a: tensor<4xi8>) {
  // expected-error@+1 {{'nn.exp' op operand #0 must be ranked tensor}}
  %0 = nn.exp %a : tensor<4xi8>
  return
}

// -----

func.func @bytes_are_not_added(%a: tensor<4xui8>) {
  // expected-error@+1 {{'nn.add' op operand #0 must be ranked tensor}}
  %0 = nn.add %a, %a : tensor<4xui8>, tensor<4xui8>
  return
}

// -----

func.func @fma_addend(%a: tensor<4xf32>, %c: tensor<4xf64>) {
  // expected-error@+1 {{'nn.fma' op expects operands of one dtype, got 'f32' and 'f64'}}
  %0 = nn.fma %a, %a, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf64>
  return
}

// -----

func.func @select_branches(%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xi64>) {
  // expected-error@+1 {{'nn.select' op expects operands of one dtype, got 'f32' and 'i64'}}
  %0 = nn.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>, tensor<4xi64>
  return
}

// -----

func.func @cast_to_function(%a: tensor<4xf32>) {
  // expected-error@+1 {{'nn.cast' op expects a dtype to cast to, got '() -> ()'}}
  %0 = nn.cast %a to () -> () : tensor<4xf32>
  return
}

// -----

func.func @clip_range(%a: tensor<4xf32>) {
  // expected-error@+1 {{'nn.clip' op expects low <= high, got 1.000000 and 0.000000}}
  %0 = nn.clip %a {low = 1.0 : f64, high = 0.0 : f64} : tensor<4xf32>
  return
}

// -----

func.func @result_type(%a: tensor<4xf32>) {
  // expected-error@+2 {{'nn.add' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error@+1 {{'nn.add' op failed to infer returned types}}
  %0 = "nn.add"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}
