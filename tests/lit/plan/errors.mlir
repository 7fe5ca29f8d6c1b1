// RUN: dlc-opt %s --dlc-plan --verify-diagnostics
train.program @p {
  train.input @x : tensor<16xf32>
  train.output prediction @y : tensor<16xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<16xf32>
    // expected-error @below {{cannot be placed: expected launches, views, joins, reads and writes}}
    %y = nn.relu %x : tensor<16xf32>
    train.write %y, @y : tensor<16xf32>
  }
}
