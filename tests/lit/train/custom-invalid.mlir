// RUN: dlc-opt %s -split-input-file -verify-diagnostics

train.program @p {
  // expected-error@+1 {{has the function 'int', expected an identifier of C that does not begin with '_'}}
  train.custom_function @f is "int" in "f.c" [#train.custom_tensor<"x" : f32>] -> [#train.custom_tensor<"y" : f32>]
}

// -----

train.program @p {
  // expected-error@+1 {{has the name 'x' twice, the second time for the output}}
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32>] -> [#train.custom_tensor<"x" : f32>]
}

// -----

train.program @p {
  // expected-error@+1 {{has 'x' of elements 'f16', expected f32, f64, i32, i64 or i1}}
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f16>] -> [#train.custom_tensor<"y" : f32>]
}

// -----

train.program @p {
  // expected-error@+1 {{has the input '', expected an identifier}}
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"" : f32>] -> [#train.custom_tensor<"y" : f32>]
}

// -----

// Programs of older versions are told how it is written now.
train.program @p {
  // expected-error@+1 {{attribute 'inputs' failed to satisfy constraint: list of tensors, #train.custom_tensor<"x" : f32["n"]>}}
  train.custom_function @f is "f" in "f.c" [{element = f32, name = "x", shape = []}] -> [#train.custom_tensor<"y" : f32>]
}

// -----

train.program @p {
  // expected-error@+1 {{has the output 'y' with the size 'm', which no input has}}
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32["n"]>] -> [#train.custom_tensor<"y" : f32["m"]>]
}

// -----

train.program @p {
  // expected-error@+1 {{has the size 'n' with three dots and without them}}
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32["n"]>] -> [#train.custom_tensor<"y" : f32["n..."]>]
}

// -----

train.program @p {
  // expected-error@+1 {{has 'x' with two names that have three dots, expected at most one}}
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32["n...", "m..."]>] -> [#train.custom_tensor<"y" : f32>]
}

// -----

train.program @p {
  // expected-error@+1 {{has 'x' with a dim of size -1, expected 1 or more}}
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32["-1"]>] -> [#train.custom_tensor<"y" : f32>]
}

// -----

train.program @p {
  // expected-error@+1 {{expects one type and shape of 'x' and 'y', which are inplace}}
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32["n"]>] -> [#train.custom_tensor<"y" : f32>] inplace [0, 0]
}

// -----

train.program @p {
  // expected-error@+1 {{has 'x' with the rows 'n' in another place than the first}}
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32["m", "n"]>] -> [#train.custom_tensor<"y" : f32["n"]>] rows "n"
}

// -----

train.program @p {
  // expected-error@+1 {{has the output 'y' without the rows 'n', which would be written several times}}
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32["n"]>] -> [#train.custom_tensor<"y" : f32>] rows "n"
}

// -----

train.program @p {
  // expected-error@+1 {{has the attribute 'a' of type 'f32', expected f64 or i64}}
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32>] -> [#train.custom_tensor<"y" : f32>] settings [#train.custom_setting<"a" : f32>]
}

// -----

train.program @p {
  // expected-error@+1 {{has the gradient 'g', which is no custom operation}}
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32>] -> [#train.custom_tensor<"y" : f32>] gradient @g
}

// -----

train.program @p {
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32>, #train.custom_tensor<"z" : f32>] -> [#train.custom_tensor<"y" : f32>] gradient @g
  // expected-error@+1 {{has no output 'grad_x', but is the gradient of 'f'; where no gradient is to flow to the input, declare it constant}}
  train.custom_function @g is "g" in "f.c" [#train.custom_tensor<"grad_y" : f32>] -> [#train.custom_tensor<"grad_z" : f32>]
}

// -----

train.program @p {
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32>] -> [#train.custom_tensor<"y" : f32>] gradient @g
  // expected-error@+1 {{has the input 'dy', but is the gradient of 'f': expected the name of one of its inputs or outputs, or grad_ and the name of an output}}
  train.custom_function @g is "g" in "f.c" [#train.custom_tensor<"dy" : f32>] -> [#train.custom_tensor<"grad_x" : f32>]
}

// -----

train.program @p {
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32, constant = true>] -> [#train.custom_tensor<"y" : f32>] gradient @g
  // expected-error@+1 {{has the output 'grad_x', but is the gradient of 'f': expected grad_ and the name of one of its inputs of floating-point numbers that is not constant, of the same type}}
  train.custom_function @g is "g" in "f.c" [#train.custom_tensor<"grad_y" : f32>] -> [#train.custom_tensor<"grad_x" : f32>]
}

// -----

train.program @p {
  // expected-error@+1 {{has the size '', expected an identifier}}
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32["n", ""]>] -> [#train.custom_tensor<"y" : f32["n"]>]
}

// -----

train.program @p {
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32["n"]>, #train.custom_tensor<"z" : f32["n"]>] -> [#train.custom_tensor<"y" : f32["n"]>]
  train.input @a : tensor<4xf32>
  train.input @b : tensor<5xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<4xf32>
    %b = train.read @b : tensor<5xf32>
    // expected-error@+1 {{input 'z' of 'f' has 'n' = 5, but it is 4 in another input}}
    %y = train.custom @f(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  }
}

// -----

train.program @p {
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32["n"]>] -> [#train.custom_tensor<"y" : f32["n"]>] gradient @g
  train.custom_function @g is "g" in "f.c" [#train.custom_tensor<"grad_y" : f32["n"]>] -> [#train.custom_tensor<"grad_x" : f32["n", "2"]>]
  train.input @a : tensor<4xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<4xf32>
    // expected-error@+1 {{the gradient 'grad_x' of 'g' has shape [4, 2], expected that of 'x', [4]}}
    %y = train.custom @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
  }
}

// -----

train.program @p {
  train.custom_function @f is "f" in "f.c" [#train.custom_tensor<"x" : f32["n"]>] -> [#train.custom_tensor<"y" : f32["n"]>]
  train.input @a : tensor<4xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<4xf32>
    // expected-error@+1 {{expects a size for each of the 1 names of sizes of @f}}
    %y = train.custom_call @f(%a) sizes [] : (tensor<4xf32>) -> tensor<4xf32>
  }
}

// -----

train.program @p {
  // expected-error@+1 {{expects code for CPUs, for GPUs or for both}}
  train.custom_function @f [#train.custom_tensor<"x" : f32["n..."]>] -> [#train.custom_tensor<"y" : f32["n..."]>]
}

// -----

train.program @p {
  // expected-error@+1 {{expects the name of a source file in cuda}}
  train.custom_function @f [#train.custom_tensor<"x" : f32["n..."]>] -> [#train.custom_tensor<"y" : f32["n..."]>] cuda <"f" in "", block = 1, threads["n"]>
}

// -----

train.program @p {
  // expected-error@+1 {{has the function 'dlc_f' in cuda, expected an identifier of C that begins with neither '_' nor 'dlc_'}}
  train.custom_function @f [#train.custom_tensor<"x" : f32["n..."]>] -> [#train.custom_tensor<"y" : f32["n..."]>] cuda <"dlc_f" in "f.cu", block = 1, threads["n"]>
}

// -----

train.program @p {
  // expected-error@+1 {{has blocks of 1025 threads in cuda, expected 1 to 1024}}
  train.custom_function @f [#train.custom_tensor<"x" : f32["n..."]>] -> [#train.custom_tensor<"y" : f32["n..."]>] cuda <"f" in "f.cu", block = 1025, threads["n"]>
}

// -----

train.program @p {
  // expected-error@+1 {{has blocks of 0 threads in cuda, expected 1 to 1024}}
  train.custom_function @f [#train.custom_tensor<"x" : f32["n..."]>] -> [#train.custom_tensor<"y" : f32["n..."]>] cuda <"f" in "f.cu", block = 0, threads["n"]>
}

// -----

train.program @p {
  // expected-error@+1 {{expects in cuda either threads or blocks}}
  train.custom_function @f [#train.custom_tensor<"x" : f32["n..."]>] -> [#train.custom_tensor<"y" : f32["n..."]>] cuda <"f" in "f.cu", block = 1, threads>
}

// -----

train.program @p {
  // expected-error@+1 {{has 'm' in threads of cuda, expected a positive number or the name of a size}}
  train.custom_function @f [#train.custom_tensor<"x" : f32["n..."]>] -> [#train.custom_tensor<"y" : f32["n..."]>] cuda <"f" in "f.cu", block = 1, threads["n", "m"]>
}

// -----

train.program @p {
  // expected-error@+1 {{has '0' in blocks of cuda, expected a positive number or the name of a size}}
  train.custom_function @f [#train.custom_tensor<"x" : f32["n..."]>] -> [#train.custom_tensor<"y" : f32["n..."]>] cuda <"f" in "f.cu", block = 1, blocks["0"]>
}

// -----

train.program @p {
  // expected-error@+1 {{has '' in blocks of cuda, expected a positive number}}
  train.custom_function @f [#train.custom_tensor<"x" : f32["n..."]>] -> [#train.custom_tensor<"y" : f32["n..."]>] cuda <"f" in "f.cu", block = 1, blocks[""]>
}

// -----

train.program @p {
  // expected-error@+1 {{is collective: expects no code, rows or settings}}
  train.custom_function @f is "f" in "f.c" collective [#train.custom_tensor<"x" : f32["n..."]>] -> [#train.custom_tensor<"y" : f32["n..."]>]
}

// -----

train.program @p {
  // expected-error@+1 {{is collective: expects one input and one output, both of the same shape, and of f32 or of f64}}
  train.custom_function @f collective [#train.custom_tensor<"x" : i64["n..."]>] -> [#train.custom_tensor<"y" : i64["n..."]>]
}

// -----

train.program @p {
  // expected-error@+1 {{is collective: expects one input and one output, both of the same shape, and of f32 or of f64}}
  train.custom_function @f collective [#train.custom_tensor<"x" : f32["n", "m"]>] -> [#train.custom_tensor<"y" : f32["n"]>]
}
