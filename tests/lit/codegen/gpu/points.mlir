// Kernels whose threads share points.
// RUN: split-file %s %t
// RUN: dlc compile %t/elements.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=ELEMENTS
// RUN: dlc compile %t/rows.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=ROWS
// RUN: dlc compile %t/long_rows.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=LONG
// RUN: dlc compile %t/open.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=OPEN
// RUN: dlc compile %t/step.mlir --loss=mse --optimizer=adam --target=nvptx --emit=ptx | FileCheck %s --check-prefix=STEP

// A thread for each element: no barrier, no shared memory; threads beyond the last element do nothing. The last
// parameter of a kernel is for sizes that the caller knows.
// ELEMENTS: .visible .entry dlc_relu(
// ELEMENTS: _param_2
// ELEMENTS-NOT: _param_3
// ELEMENTS: setp
// ELEMENTS: bra
// ELEMENTS: ld.global.b32
// ELEMENTS: st.global.b32
// ELEMENTS-NOT: bar.sync
// ELEMENTS-NOT: .shared
//--- elements.mlir
train.program @p {
  train.input @x : tensor<1000xf32>
  train.output prediction @y : tensor<1000xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<1000xf32>
    %y = nn.relu %x : tensor<1000xf32>
    train.write %y, @y : tensor<1000xf32>
  }
}

// Threads of a row meet at barriers; what one operation hands to the next lies in shared memory.
// ROWS: .visible .entry dlc_softmax(
// ROWS-DAG: .shared .align 16 .b8 dlc_softmax_rows
// ROWS-DAG: .shared .align 16 .b8 dlc_softmax_partials
// ROWS: bar.sync
// ROWS: ld.shared
//--- rows.mlir
train.program @p {
  train.input @x : tensor<64x1000xf32>
  train.output prediction @y : tensor<64x1000xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x1000xf32>
    %y = nn.softmax %x axis 1 : tensor<64x1000xf32>
    train.write %y, @y : tensor<64x1000xf32>
  }
}

// Where it is too long for shared memory, it lies in scratch, which is one more parameter.
// LONG: .visible .entry dlc_softmax(
// LONG: _param_3
// LONG-NOT: dlc_softmax_rows
// LONG: bar.sync
//--- long_rows.mlir
train.program @p {
  train.input @x : tensor<8x50257xf32>
  train.output prediction @y : tensor<8x50257xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x50257xf32>
    %y = nn.softmax %x axis 1 : tensor<8x50257xf32>
    train.write %y, @y : tensor<8x50257xf32>
  }
}

// Sizes that are open are read from memory.
// OPEN: .visible .entry dlc_relu(
// OPEN: ld.global.b64
// OPEN: setp
//--- open.mlir
train.program @p {
  train.dim @batch = 64
  train.input @x : tensor<?x10xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x10xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x10xf32, #nn.dims<batch, _>>
    %y = nn.relu %x : tensor<?x10xf32, #nn.dims<batch, _>>
    train.write %y, @y : tensor<?x10xf32, #nn.dims<batch, _>>
  }
}

// Single numbers that a kernel overwrites are read only by the thread that does it: the others leave first.
// STEP: .visible .entry dlc_scalars(
// STEP-NOT: ld.global
// STEP: setp
// STEP: bra
// STEP: ld.global
//--- step.mlir
train.program @p {
  train.state parameter @w : tensor<10xf32> = dense<1.0>
  train.input @x : tensor<4x10xf32>
  train.output prediction @y : tensor<4x10xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4x10xf32>
    %w = train.read @w : tensor<10xf32>
    %y = nn.mul %x, %w : tensor<4x10xf32>, tensor<10xf32>
    train.write %y, @y : tensor<4x10xf32>
  }
}
