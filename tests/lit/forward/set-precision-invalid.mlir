// RUN: dlc-opt %s --split-input-file --verify-diagnostics --dlc-recipe=set=precision=bf16 --dlc-set-precision

train.program @of_doubles {
  train.input @x : tensor<2x2xf64>
  train.output prediction @y : tensor<2x2xf64>
  train.function forward @forward {
    %x = train.read @x : tensor<2x2xf64>
    // expected-error@+1 {{a product of 'f64' cannot be computed with --precision of 'bf16': expected a model of float32}}
    %y = nn.matmul %x, %x : tensor<2x2xf64>, tensor<2x2xf64>
    train.write %y, @y : tensor<2x2xf64>
  }
}
