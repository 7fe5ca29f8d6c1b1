// A GPU has no library of functions: those of float64, and sin, cos and atan of float32 by way of float64, are dlc's
// own arithmetic.
// RUN: split-file %s %t
// RUN: dlc compile %t/f64.mlir --target=nvptx --emit=ptx | FileCheck %s
// RUN: dlc compile %t/f32.mlir --target=nvptx --emit=ptx | FileCheck %s --check-prefix=SINGLE

// CHECK: fma.rn.f64
// CHECK-NOT: call

// Far from zero, the digits of 2/pi are multiplied.
// SINGLE: cvt.ftz.f64.f32
// SINGLE: mul.hi.u64
// SINGLE: cvt.rn.ftz.f32.f64
// SINGLE-NOT: call
//--- f64.mlir
train.program @p {
  train.input @x : tensor<16xf64>
  train.output prediction @y : tensor<16xf64>
  train.function forward @forward {
    %x = train.read @x : tensor<16xf64>
    %0 = nn.exp %x : tensor<16xf64>
    %1 = nn.log %0 : tensor<16xf64>
    %2 = nn.pow %0, %1 : tensor<16xf64>, tensor<16xf64>
    %3 = nn.expm1 %2 : tensor<16xf64>
    %4 = nn.log1p %3 : tensor<16xf64>
    %5 = nn.tanh %4 : tensor<16xf64>
    %6 = nn.erf %5 : tensor<16xf64>
    %7 = nn.erfc %6 : tensor<16xf64>
    %8 = nn.sin %7 : tensor<16xf64>
    %9 = nn.cos %8 : tensor<16xf64>
    %y = nn.atan %9 : tensor<16xf64>
    train.write %y, @y : tensor<16xf64>
  }
}
//--- f32.mlir
train.program @p {
  train.input @x : tensor<16xf32>
  train.output prediction @y : tensor<16xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<16xf32>
    %0 = nn.sin %x : tensor<16xf32>
    %1 = nn.cos %0 : tensor<16xf32>
    %y = nn.atan %1 : tensor<16xf32>
    train.write %y, @y : tensor<16xf32>
  }
}
