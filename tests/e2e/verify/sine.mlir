// With a large learning rate its steps are chaos: the sine of a large number tells small differences of it apart.
train.program @sine {
  train.dim @batch = 4
  train.state parameter @w : tensor<5x3xf32> = dense<[[-0.73, 0.69, 0.53], [-0.49, -0.01, -0.10], [0.30, 0.58, -0.81], [-0.94, 0.67, -0.13], [0.52, -1.00, -0.11]]>
  train.state parameter @v : tensor<5x2xf32> = dense<[[0.91, 0.90], [-0.89, -0.83], [0.67, 0.47], [0.34, -0.38], [0.21, 0.21]]>
  train.input @x : tensor<?x3xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x2xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x3xf32, #nn.dims<batch, _>>
    %w = train.read @w : tensor<5x3xf32>
    %v = train.read @v : tensor<5x2xf32>
    %0 = nn.matmul %x, %w transpose_b : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<5x3xf32>
    %1 = nn.sin %0 : tensor<?x5xf32, #nn.dims<batch, _>>
    %2 = nn.matmul %1, %v : tensor<?x5xf32, #nn.dims<batch, _>>, tensor<5x2xf32>
    train.write %2, @y : tensor<?x2xf32, #nn.dims<batch, _>>
  }
}
