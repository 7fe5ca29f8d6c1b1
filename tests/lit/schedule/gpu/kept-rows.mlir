// Rows that threads keep in registers: as many elements each, and few, in blocks that have no thread without a row.
// RUN: dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-fuse --dlc-schedule-gpu --dlc-verify-schedule-gpu | FileCheck %s

// Sixteen elements each, by threads of one warp.
// CHECK-LABEL: train.program @kept
// CHECK: train.kernel @softmax schedule(#cuda.schedule<#cuda.points<members = 32 partials = [32, 1, 32, 1, 1] turns = 16>, threads = 256 grid = 1024
train.program @kept {
  train.input @x : tensor<8192x512xf32>
  train.output prediction @y : tensor<8192x512xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8192x512xf32>
    %y = nn.softmax %x axis 1 : tensor<8192x512xf32>
    train.write %y, @y : tensor<8192x512xf32>
  }
}

// -----

// Of double precision, as many take twice the registers.
// CHECK-LABEL: train.program @doubles
// CHECK: train.kernel @softmax schedule(#cuda.schedule<#cuda.points<members = 32 partials = [32, 1, 32, 1, 1] turns = 16>
train.program @doubles {
  train.input @x : tensor<8192x512xf64>
  train.output prediction @y : tensor<8192x512xf64>
  train.function predict @predict {
    %x = train.read @x : tensor<8192x512xf64>
    %y = nn.softmax %x axis 1 : tensor<8192x512xf64>
    train.write %y, @y : tensor<8192x512xf64>
  }
}

// -----

// More elements each would leave too few threads.
// CHECK-LABEL: train.program @long
// CHECK: train.kernel @softmax schedule(#cuda.schedule<#cuda.points<members = 256 partials = [256, 1, 256, 1, 1] shared = 32768>
train.program @long {
  train.input @x : tensor<8192x8192xf32>
  train.output prediction @y : tensor<8192x8192xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8192x8192xf32>
    %y = nn.softmax %x axis 1 : tensor<8192x8192xf32>
    train.write %y, @y : tensor<8192x8192xf32>
  }
}

// -----

// One thread would have more elements than another.
// CHECK-LABEL: train.program @not_for_each
// CHECK: train.kernel @softmax schedule(#cuda.schedule<#cuda.points<members = 64 partials = [64, 1, 64, 1, 1] shared = 3136>
train.program @not_for_each {
  train.input @x : tensor<8192x770xf32>
  train.output prediction @y : tensor<8192x770xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8192x770xf32>
    %y = nn.softmax %x axis 1 : tensor<8192x770xf32>
    train.write %y, @y : tensor<8192x770xf32>
  }
}

// -----

// Blocks of two rows, because none of four would be whole.
// CHECK-LABEL: train.program @odd
// CHECK: train.kernel @softmax schedule(#cuda.schedule<#cuda.points<members = 64 partials = [64, 1, 64, 1, 1] turns = 12>, threads = 128 grid = 4095
train.program @odd {
  train.input @x : tensor<8190x768xf32>
  train.output prediction @y : tensor<8190x768xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8190x768xf32>
    %y = nn.softmax %x axis 1 : tensor<8190x768xf32>
    train.write %y, @y : tensor<8190x768xf32>
  }
}

// -----

// Few rows: a warp and a block each.
// CHECK-LABEL: train.program @few
// CHECK: train.kernel @softmax schedule(#cuda.schedule<#cuda.points<members = 32 partials = [32, 1, 32, 1, 1] turns = 3>, threads = 32 grid = 100
train.program @few {
  train.input @x : tensor<100x96xf32>
  train.output prediction @y : tensor<100x96xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<100x96xf32>
    %y = nn.softmax %x axis 1 : tensor<100x96xf32>
    train.write %y, @y : tensor<100x96xf32>
  }
}
