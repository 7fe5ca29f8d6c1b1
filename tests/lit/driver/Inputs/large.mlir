// Samples of a megabyte each.
train.program @large {
  train.dim @batch = 8
  train.state parameter @weight : tensor<1x262144xf32> = dense<0.5>
  train.state parameter @bias : tensor<1xf32> = dense<0.25>
  train.input @x : tensor<?x262144xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x1xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x262144xf32, #nn.dims<batch, _>>
    %w = train.read @weight : tensor<1x262144xf32>
    %b = train.read @bias : tensor<1xf32>
    %0 = nn.matmul %x, %w transpose_b : tensor<?x262144xf32, #nn.dims<batch, _>>, tensor<1x262144xf32>
    %1 = nn.add %0, %b : tensor<?x1xf32, #nn.dims<batch, _>>, tensor<1xf32>
    train.write %1, @y : tensor<?x1xf32, #nn.dims<batch, _>>
  }
}
