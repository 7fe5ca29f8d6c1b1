// A layer whose hidden values are many: with a tight budget, steps go over the batch in parts.
train.program @parts {
  train.dim @batch = 8
  train.state parameter @w : tensor<16x256xf32> = dense<0.01>
  train.state parameter @v : tensor<256x16xf32> = dense<0.01>
  train.state rng @rng : tensor<2xi64>
  train.input @x : tensor<?x32x16xf32, #nn.dims<batch, _, _>>
  train.output prediction @y : tensor<?x32x16xf32, #nn.dims<batch, _, _>>
  train.function forward @forward {
    %rng = train.read @rng : tensor<2xi64>
    %x = train.read @x : tensor<?x32x16xf32, #nn.dims<batch, _, _>>
    %w = train.read @w : tensor<16x256xf32>
    %v = train.read @v : tensor<256x16xf32>
    %h = nn.matmul %x, %w : tensor<?x32x16xf32, #nn.dims<batch, _, _>>, tensor<16x256xf32>
    %g = nn.gelu %h : tensor<?x32x256xf32, #nn.dims<batch, _, _>>
    %y = nn.matmul %g, %v : tensor<?x32x256xf32, #nn.dims<batch, _, _>>, tensor<256x16xf32>
    %z = nn.mul %y, %y : tensor<?x32x16xf32, #nn.dims<batch, _, _>>, tensor<?x32x16xf32, #nn.dims<batch, _, _>> loc("end")
    train.write %z, @y : tensor<?x32x16xf32, #nn.dims<batch, _, _>>
  }
}
