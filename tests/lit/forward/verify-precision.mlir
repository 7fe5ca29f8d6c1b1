// What the stages forward and backward promise of programs of low precision.
// RUN: dlc-opt %s --split-input-file --verify-diagnostics --dlc-verify-backward

train.program @exact precision bf16 {
  train.input @x : tensor<2x2xf32>
  train.output prediction @y : tensor<2x2xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2x2xf32>
    // expected-error@+1 {{has operands of type 'f32' and gives 'f32' in a program of precision 'bf16': expected operands of this type and sums in f32}}
    %y = nn.matmul %x, %x : tensor<2x2xf32>, tensor<2x2xf32>
    train.write %y, @y : tensor<2x2xf32>
  }
}

// -----

train.program @rounded precision bf16 {
  train.input @x : tensor<2x2xf32>
  train.output prediction @y : tensor<2x2xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2x2xf32>
    %0 = nn.cast %x to bf16 : tensor<2x2xf32>
    // expected-error@+1 {{has operands of type 'bf16' and gives 'bf16' in a program of precision 'bf16'}}
    %1 = nn.matmul %0, %0 : tensor<2x2xbf16>, tensor<2x2xbf16>
    %y = nn.cast %1 to f32 : tensor<2x2xbf16>
    train.write %y, @y : tensor<2x2xf32>
  }
}
