// Kernels whose threads share points.
// RUN: split-file %s %t
// RUN: dlc compile %t/elements.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=ELEMENTS
// RUN: dlc compile %t/neighbours.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=NEIGHBOURS
// RUN: dlc compile %t/loss.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=LOSS
// RUN: dlc compile %t/rows.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=ROWS
// RUN: dlc compile %t/kept_rows.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=KEPT
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
// ELEMENTS: ld.global.nc.b32
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

// Where there are many, a thread has four neighbours: all are read before the first is written, each in one access.
// Numbers of blocks and elements have 32 bits, and so have divisions of them.
// NEIGHBOURS: .visible .entry dlc_mul_relu(
// NEIGHBOURS-NOT: {{(div|rem)\.}}
// NEIGHBOURS: ld.global.nc.v4.b32
// NEIGHBOURS: ld.global.nc.v4.b32
// NEIGHBOURS-NOT: ld.global
// NEIGHBOURS: st.global.v4.b32
// NEIGHBOURS-NOT: st.global
//--- neighbours.mlir
train.program @p {
  train.input @x : tensor<400x384xf32>
  train.input @w : tensor<384xf32>
  train.output prediction @y : tensor<400x384xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<400x384xf32>
    %w = train.read @w : tensor<384xf32>
    %0 = nn.mul %x, %w : tensor<400x384xf32>, tensor<384xf32>
    %y = nn.relu %0 : tensor<400x384xf32>
    train.write %y, @y : tensor<400x384xf32>
  }
}

// A row is read for its maximum, and once more for exponentials, which are written, and their sum: four elements are
// asked for before the first is used.
// LOSS: .visible .entry dlc_softmax(
// LOSS-COUNT-4: ld.global.nc.b32
// LOSS-NOT: ld.global
// LOSS: shfl.sync.bfly
// LOSS-COUNT-4: ld.global.nc.b32
// LOSS-NOT: ld.global
// LOSS-COUNT-4: st.global.b32
// LOSS: shfl.sync.bfly
//--- loss.mlir
train.program @p {
  train.input @x : tensor<64x49152xf32>
  train.output prediction @y : tensor<64x49152xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x49152xf32>
    %y = nn.softmax %x axis 1 : tensor<64x49152xf32>
    train.write %y, @y : tensor<64x49152xf32>
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

// Where each thread has few elements, it reads them once, and keeps them and what it computes in registers.
// KEPT: .visible .entry dlc_layer_norm(
// KEPT-COUNT-3: ld.global.nc.b32
// KEPT-NOT: ld.global
// KEPT: shfl.sync.bfly
// KEPT-NOT: ld.global
// KEPT: sqrt
// KEPT-NOT: {{(ld|st)}}.shared
// KEPT-COUNT-3: st.global.b32
// KEPT-NOT: {{(ld|st)\.(global|shared)}}
//--- kept_rows.mlir
train.program @p {
  train.input @x : tensor<64x96xf32>
  train.output prediction @y : tensor<64x96xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x96xf32>
    %one = nn.constant dense<1.0> : tensor<96xf32>
    %zero = nn.constant dense<0.0> : tensor<96xf32>
    %y, %mean, %rstd = nn.layer_norm %x, %one, %zero axis 1 epsilon 1.0e-5 : tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>
    train.write %y, @y : tensor<64x96xf32>
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
// OPEN: ld.global{{(\.nc)?}}.b64
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
