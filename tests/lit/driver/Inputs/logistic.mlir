train.program @logistic {
  train.dim @batch = 8
  train.state parameter @weight : tensor<1x4xf32> = dense<0.5>
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x1xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
    %w = train.read @weight : tensor<1x4xf32>
    %0 = nn.matmul %x, %w transpose_b : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<1x4xf32>
    %1 = nn.sigmoid %0 : tensor<?x1xf32, #nn.dims<batch, _>>
    train.write %1, @y : tensor<?x1xf32, #nn.dims<batch, _>>
  }
}
