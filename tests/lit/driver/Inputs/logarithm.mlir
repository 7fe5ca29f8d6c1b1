// ln(x w) is no number where the product is negative, and minus infinity where it is 0.
train.program @logarithm {
  train.dim @batch = 4
  train.state parameter @weight : tensor<2x1xf32> = dense<1.0>
  train.input @x : tensor<?x2xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x1xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x2xf32, #nn.dims<batch, _>>
    %w = train.read @weight : tensor<2x1xf32>
    %0 = nn.matmul %x, %w : tensor<?x2xf32, #nn.dims<batch, _>>, tensor<2x1xf32>
    %1 = nn.log %0 : tensor<?x1xf32, #nn.dims<batch, _>>
    train.write %1, @y : tensor<?x1xf32, #nn.dims<batch, _>>
  }
}
