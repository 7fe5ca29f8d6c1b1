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

train.program @misaligned attributes {arena_bytes = 128 : i64} {
  train.input @x : tensor<16xf32>
  train.kernel @k {
  ^bb0(%x: tensor<16xf32>):
    train.yield %x : tensor<16xf32>
  }
  train.function predict @predict {
    %x = train.place of @x {value = 0 : i64} : memref<16xf32>
    // expected-error @below {{expects an offset that is a multiple of 64, got 32}}
    %a = train.place at 32 {value = 1 : i64} : memref<16xf32>
    train.launch @k(%x) into (%a) : (memref<16xf32>, memref<16xf32>) -> ()
  }
}

// -----

train.program @outside attributes {arena_bytes = 64 : i64} {
  train.input @x : tensor<17xf32>
  train.kernel @k {
  ^bb0(%x: tensor<17xf32>):
    train.yield %x : tensor<17xf32>
  }
  train.function predict @predict {
    %x = train.place of @x {value = 0 : i64} : memref<17xf32>
    // expected-error @below {{ends at byte 68 of an arena of 64}}
    %a = train.place at 0 {value = 1 : i64} : memref<17xf32>
    train.launch @k(%x) into (%a) : (memref<17xf32>, memref<17xf32>) -> ()
  }
}

// -----

train.program @overwritten attributes {arena_bytes = 128 : i64} {
  train.input @x : tensor<16xf32>
  train.kernel @k {
  ^bb0(%x: tensor<16xf32>):
    train.yield %x : tensor<16xf32>
  }
  train.function predict @predict {
    %x = train.place of @x {value = 0 : i64} : memref<16xf32>
    %a = train.place at 0 {value = 1 : i64} : memref<16xf32>
    %b = train.place at 0 {value = 2 : i64} : memref<16xf32>
    %c = train.place at 64 {value = 3 : i64} : memref<16xf32>
    train.launch @k(%x) into (%a) : (memref<16xf32>, memref<16xf32>) -> ()
    train.launch @k(%x) into (%b) : (memref<16xf32>, memref<16xf32>) -> ()
    // expected-error @below {{reads value 1 at byte 0, but value 2 lies there}}
    train.launch @k(%a) into (%c) : (memref<16xf32>, memref<16xf32>) -> ()
  }
}

// -----

train.program @unwritten attributes {arena_bytes = 128 : i64} {
  train.kernel @k {
  ^bb0(%x: tensor<16xf32>):
    train.yield %x : tensor<16xf32>
  }
  train.function predict @predict {
    %a = train.place at 0 {value = 1 : i64} : memref<16xf32>
    %b = train.place at 64 {value = 2 : i64} : memref<16xf32>
    // expected-error @below {{reads value 1 at byte 0, which nothing has written}}
    train.launch @k(%a) into (%b) : (memref<16xf32>, memref<16xf32>) -> ()
  }
}

// -----

train.program @in_place attributes {arena_bytes = 64 : i64} {
  train.state parameter @w at 0 : tensor<16xf32>
  train.kernel @k {
  ^bb0(%x: tensor<16xf32>):
    train.yield %x : tensor<16xf32>
  }
  train.function apply @apply {
    %a = train.place of @w {value = 1 : i64} : memref<16xf32>
    %b = train.place of @w {value = 2 : i64} : memref<16xf32>
    // expected-error @below {{writes destination 0 over operand 0 at byte 0, which may still be read}}
    train.launch @k(%a) into (%b) : (memref<16xf32>, memref<16xf32>) -> ()
  }
}

// -----

train.program @destinations attributes {arena_bytes = 128 : i64} {
  train.input @x : tensor<16xf32>
  train.kernel @k {
  ^bb0(%x: tensor<16xf32>):
    train.yield %x, %x : tensor<16xf32>, tensor<16xf32>
  }
  train.function predict @predict {
    %x = train.place of @x {value = 0 : i64} : memref<16xf32>
    %a = train.place at 64 {value = 1 : i64} : memref<16xf32>
    %b = train.place at 64 {value = 2 : i64} : memref<16xf32>
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
