// Numbers and names that no machine or file can hold are refused before anything is made of them.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: not dlc compile %t/elements.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// RUN: not dlc compile %t/bound.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not dlc compile %t/repeated.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=REPEATED
// RUN: not dlc compile %t/missing.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not dlc compile %t/short.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not dlc compile %t/name.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not dlc compile %t/runtime.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=RUNTIME
// RUN: not dlc compile %t/escape.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=ESCAPE
// RUN: not dlc compile %t/result.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not dlc-interpret %t/result.mlir 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: python3 -c "print('module attributes {a = ' + '[' * 100000)" > %t/nested.mlir
// RUN: not dlc compile %t/nested.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: nested.mlir:1:279: error: brackets or signs are nested more than 256 deep; split what they hold
// RUN: python3 -c "print('#m = affine_map<(d0) -> (' + '- ' * 100000)" > %t/signs.mlir
// RUN: not dlc compile %t/signs.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=SIGNS
// SIGNS: signs.mlir:1:{{.*}}: error: brackets or signs are nested more than 256 deep
// RUN: dlc-opt --emit-bytecode %S/Inputs/linear.mlir -o %t/binary.mlir
// RUN: not dlc compile %t/binary.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=BINARY
// BINARY: binary.mlir: error: is MLIR bytecode, expected MLIR text
// RUN: not ls %t/out

//--- elements.mlir
// ELEMENTS: elements.mlir:3:3: error: 'train.input' op has a tensor that is too large, 'tensor<4611686018427387904x4xf32>'
train.program @m {
  train.input @x : tensor<4611686018427387904x4xf32>
}
//--- bound.mlir
// BOUND: bound.mlir:4:3: error: 'train.input' op has a tensor that is too large
train.program @m {
  train.dim @batch = 9223372036854775807
  train.input @x : tensor<?x?xf32, #nn.dims<batch, batch>>
}
//--- repeated.mlir
// REPEATED: repeated.mlir:4:3: error: the values of 'w', one number repeated, are too large for a file of weights: with others of its kind 1073741828 bytes, expected at most 1073741824; values that are in the model's file one by one have no such limit
train.program @m {
  train.state parameter @one : tensor<f32> = dense<0.5>
  train.state parameter @w : tensor<1x268435456xf32> = dense<0.5>
  train.output prediction @y : tensor<1x268435456xf32>
  train.function forward @forward {
    %w = train.read @w : tensor<1x268435456xf32>
    train.write %w, @y : tensor<1x268435456xf32>
  }
}
//--- missing.mlir
// MISSING: missing.mlir:3:3: error: 'train.state' op has the values `dense_resource<w>`, which are not in the file
train.program @m {
  train.state parameter @w : tensor<4xf32> = dense_resource<w>
}
//--- short.mlir
// SHORT: short.mlir:3:3: error: 'train.state' op expects 16 bytes of `dense_resource<w>`, got 4
train.program @m {
  train.state parameter @w : tensor<4xf32> = dense_resource<w>
}
{-#
  dialect_resources: { builtin: { w: "0x0400000001020304" } }
#-}
//--- name.mlir
// NAME: name.mlir:3:3: error: 'train.input' op expects a name in UTF-8 without zero bytes, for C and JSON, got 'x\00y'
train.program @m {
  train.input @"x\00y" : tensor<4xf32>
}
//--- runtime.mlir
// RUNTIME: error: 'dlc_instance' is a prefix of the runtime's own: give another with --name
train.program @dlc_instance {
}
//--- escape.mlir
// ESCAPE: error: {{.*}}@"a\1B[31mb"
train.program @m {
  train.function forward @forward {
    %x = train.read @"a\1B[31mb" : tensor<4xf32>
  }
}
//--- result.mlir
// RESULT: result.mlir:6:20: error: result number '#2147483648' is too large: an operation has at most 4096 results; give the number of one that it has
train.program @m {
  train.function forward @forward {
    // A comment may name %3#2147483648, a string too.
    %x = train.read @"%3#2147483648 \" [" : tensor<4xf32>
    %y = nn.relu %3#2147483648 : tensor<4xf32>
  }
}
