// Functions of float64 are dlc's own arithmetic; one that has none is an error, with the node of the model.
// RUN: split-file %s %t
// RUN: dlc compile %t/pow.mlir --target=nvptx --emit=ptx | FileCheck %s
// RUN: not dlc compile %t/sin.mlir --target=nvptx --emit=ptx 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: fma.rn.f64
// CHECK-NOT: call
// ERROR: error: 'sin' of 'f32' has no code for GPUs yet, in kernel 'sin'; compile for the CPU
//--- pow.mlir
train.program @p {
  train.input @x : tensor<16xf64>
  train.output prediction @y : tensor<16xf64>
  train.function forward @forward {
    %x = train.read @x : tensor<16xf64>
    %e = nn.exp %x : tensor<16xf64>
    %l = nn.log %e : tensor<16xf64>
    %y = nn.pow %e, %l : tensor<16xf64>, tensor<16xf64>
    train.write %y, @y : tensor<16xf64>
  }
}
//--- sin.mlir
train.program @p {
  train.input @x : tensor<16xf32>
  train.output prediction @y : tensor<16xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<16xf32>
    %y = nn.sin %x : tensor<16xf32>
    train.write %y, @y : tensor<16xf32>
  }
}
