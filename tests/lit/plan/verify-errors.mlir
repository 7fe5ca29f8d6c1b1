// What the verifier of the stage refuses.
// RUN: dlc-opt %s --dlc-verify-plan --split-input-file --verify-diagnostics

train.program @unplanned {
  // expected-error @below {{has no place of its own in the arena}}
  train.state parameter @w : tensor<16xf32>
}

// -----

train.program @states_overlap {
  train.state parameter @w at 0 : tensor<17xf32>
  // expected-error @below {{has no place of its own in the arena}}
  train.state parameter @v at 64 : tensor<16xf32>
}

// -----

train.program @misaligned attributes {plan = #train.program_plan<states = 0, arena = 128, bound = 128>} {
  train.input @x : tensor<16xf32>
  train.kernel @k {
  ^bb0(%x: tensor<16xf32>):
    train.yield %x : tensor<16xf32>
  }
  train.function predict @predict {
    %x = train.place of @x value 0 : memref<16xf32>
    // expected-error @below {{expects an offset that is a multiple of 64, got 32}}
    %a = train.place at 32 value 1 : memref<16xf32>
    train.launch @k(%x) into (%a) : (memref<16xf32>, memref<16xf32>) -> ()
  }
}

// -----

train.program @outside attributes {plan = #train.program_plan<states = 0, arena = 64, bound = 64>} {
  train.input @x : tensor<17xf32>
  train.kernel @k {
  ^bb0(%x: tensor<17xf32>):
    train.yield %x : tensor<17xf32>
  }
  train.function predict @predict {
    %x = train.place of @x value 0 : memref<17xf32>
    // expected-error @below {{ends at byte 68, behind the end of its memory at 64}}
    %a = train.place at 0 value 1 : memref<17xf32>
    train.launch @k(%x) into (%a) : (memref<17xf32>, memref<17xf32>) -> ()
  }
}

// -----

train.program @overwritten attributes {plan = #train.program_plan<states = 0, arena = 128, bound = 128>} {
  train.input @x : tensor<16xf32>
  train.kernel @k {
  ^bb0(%x: tensor<16xf32>):
    train.yield %x : tensor<16xf32>
  }
  train.function predict @predict {
    %x = train.place of @x value 0 : memref<16xf32>
    %a = train.place at 0 value 1 : memref<16xf32>
    %b = train.place at 0 value 2 : memref<16xf32>
    %c = train.place at 64 value 3 : memref<16xf32>
    train.launch @k(%x) into (%a) : (memref<16xf32>, memref<16xf32>) -> ()
    train.launch @k(%x) into (%b) : (memref<16xf32>, memref<16xf32>) -> ()
    // expected-error @below {{reads value 1 at byte 0, but value 2 lies there}}
    train.launch @k(%a) into (%c) : (memref<16xf32>, memref<16xf32>) -> ()
  }
}

// -----

train.program @unwritten attributes {plan = #train.program_plan<states = 0, arena = 128, bound = 128>} {
  train.kernel @k {
  ^bb0(%x: tensor<16xf32>):
    train.yield %x : tensor<16xf32>
  }
  train.function predict @predict {
    %a = train.place at 0 value 1 : memref<16xf32>
    %b = train.place at 64 value 2 : memref<16xf32>
    // expected-error @below {{reads value 1 at byte 0, which nothing has written}}
    train.launch @k(%a) into (%b) : (memref<16xf32>, memref<16xf32>) -> ()
  }
}

// -----

train.program @in_place attributes {plan = #train.program_plan<states = 0, arena = 64, bound = 64>} {
  train.state parameter @w at 0 : tensor<16xf32>
  train.kernel @k {
  ^bb0(%x: tensor<16xf32>):
    train.yield %x : tensor<16xf32>
  }
  train.function apply @apply {
    %a = train.place of @w value 1 : memref<16xf32>
    %b = train.place of @w value 2 : memref<16xf32>
    // expected-error @below {{writes destination 0 over operand 0 at byte 0, which may still be read}}
    train.launch @k(%a) into (%b) : (memref<16xf32>, memref<16xf32>) -> ()
  }
}

// -----

train.program @destinations attributes {plan = #train.program_plan<states = 0, arena = 128, bound = 128>} {
  train.input @x : tensor<16xf32>
  train.kernel @k {
  ^bb0(%x: tensor<16xf32>):
    train.yield %x, %x : tensor<16xf32>, tensor<16xf32>
  }
  train.function predict @predict {
    %x = train.place of @x value 0 : memref<16xf32>
    %a = train.place at 64 value 1 : memref<16xf32>
    %b = train.place at 64 value 2 : memref<16xf32>
    // expected-error @below {{has destinations that overlap at byte 64}}
    train.launch @k(%x) into (%a, %b) : (memref<16xf32>, memref<16xf32>, memref<16xf32>) -> ()
  }
}

// -----

train.program @tensors {
  train.input @x : tensor<16xf32>
  train.function predict @predict {
    // expected-error @below {{is not expected after the stage plan: places, launches and copies are}}
    %x = train.read @x : tensor<16xf32>
  }
}

// -----

// Of a tensor of two parts, one was never written.
train.program @half attributes {plan = #train.program_plan<states = 0, arena = 192, bound = 192>} {
  train.input @x : tensor<2x8xf32>
  train.kernel @part attributes {arg_strides = [unit, ["16", "1"]]} {
  ^bb0(%x: tensor<2x8xf32>):
    train.yield %x : tensor<2x8xf32>
  }
  train.kernel @whole {
  ^bb0(%x: tensor<2x16xf32>):
    train.yield %x : tensor<2x16xf32>
  }
  train.function predict @predict {
    %x = train.place of @x value 0 : memref<2x8xf32>
    %a = train.place at 32 part value 1 : memref<2x8xf32, strided<[16, 1]>>
    %b = train.place at 0 value 1 : memref<2x16xf32>
    %c = train.place at 128 value 2 : memref<2x16xf32>
    train.launch @part(%x) into (%a) : (memref<2x8xf32>, memref<2x8xf32, strided<[16, 1]>>) -> ()
    // expected-error @below {{reads value 1 at byte 0, of which only parts have been written}}
    train.launch @whole(%b) into (%c) : (memref<2x16xf32>, memref<2x16xf32>) -> ()
  }
}

// -----

// The gaps of one are the rows of the other; a byte too far they are not.
train.program @interleaved attributes {plan = #train.program_plan<states = 0, arena = 192, bound = 192>} {
  train.input @x : tensor<2x8xf32>
  train.kernel @two attributes {arg_strides = [unit, ["16", "1"], ["16", "1"]]} {
  ^bb0(%x: tensor<2x8xf32>):
    train.yield %x, %x : tensor<2x8xf32>, tensor<2x8xf32>
  }
  train.function predict @predict {
    %x = train.place of @x value 0 : memref<2x8xf32>
    %a = train.place at 0 part value 1 : memref<2x8xf32, strided<[16, 1]>>
    %b = train.place at 32 part value 1 : memref<2x8xf32, strided<[16, 1]>>
    %c = train.place at 28 part value 1 : memref<2x8xf32, strided<[16, 1]>>
    train.launch @two(%x) into (%a, %b) : (memref<2x8xf32>, memref<2x8xf32, strided<[16, 1]>>, memref<2x8xf32, strided<[16, 1]>>) -> ()
    // expected-error @below {{has destinations that overlap at byte 28}}
    train.launch @two(%x) into (%a, %c) : (memref<2x8xf32>, memref<2x8xf32, strided<[16, 1]>>, memref<2x8xf32, strided<[16, 1]>>) -> ()
  }
}

// -----

train.program @size_of_nothing attributes {plan = #train.program_plan<states = 0, arena = 64, bound = 64>} {
  train.dim @batch = 4
  train.input @x : tensor<?xf32, #nn.dims<batch>>
  train.kernel @k attributes {arg_dims = [#nn.dims<rows>, #nn.dims<rows>]} {
  ^bb0(%x: tensor<?xf32>):
    train.yield %x : tensor<?xf32>
  }
  train.function predict @predict {
    %x = train.place of @x value 0 : memref<?xf32>
    %a = train.place at 0 value 1 : memref<?xf32>
    // expected-error @below {{has the size 'rows', which is no dim of the program}}
    train.launch @k(%x) into (%a) : (memref<?xf32>, memref<?xf32>) -> ()
  }
}
