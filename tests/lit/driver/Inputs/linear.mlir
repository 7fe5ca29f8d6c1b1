train.program @linear {
  train.dim @batch = 8
  train.state parameter @weight : tensor<3x4xf32> = dense<0.5>
  train.state parameter @bias : tensor<3xf32> = dense<0.25>
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x3xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
    %w = train.read @weight : tensor<3x4xf32>
    %b = train.read @bias : tensor<3xf32>
    %0 = nn.matmul %x, %w transpose_b : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<3x4xf32>
    %1 = nn.add %0, %b : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<3xf32>
    train.write %1, @y : tensor<?x3xf32, #nn.dims<batch, _>>
  }
}
