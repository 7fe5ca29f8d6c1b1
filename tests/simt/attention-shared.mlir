// Heads of queries that have keys and values in common, and dropout of shares.
train.program @attention_shared {
  train.dim @batch = 2
  train.input @x : tensor<?x2x3x12x8xf32, #nn.dims<batch, _, _, _, _>>
  train.input @z : tensor<?x2x1x12x8xf32, #nn.dims<batch, _, _, _, _>>
  train.state rng @rng : tensor<2xi64>
  train.state parameter @q : tensor<2x3x12x8xf32> = dense<0.2>
  train.state parameter @k : tensor<2x1x12x8xf32> = dense<0.3>
  train.state parameter @v : tensor<2x1x12x8xf32> = dense<0.5>
  train.output prediction @y : tensor<?x2x3x12x8xf32, #nn.dims<batch, _, _, _, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x2x3x12x8xf32, #nn.dims<batch, _, _, _, _>>
    %z = train.read @z : tensor<?x2x1x12x8xf32, #nn.dims<batch, _, _, _, _>>
    %rng = train.read @rng : tensor<2xi64>
    %q0 = train.read @q : tensor<2x3x12x8xf32>
    %k0 = train.read @k : tensor<2x1x12x8xf32>
    %v0 = train.read @v : tensor<2x1x12x8xf32>
    %q = nn.add %x, %q0 : tensor<?x2x3x12x8xf32, #nn.dims<batch, _, _, _, _>>, tensor<2x3x12x8xf32>
    %k = nn.mul %z, %k0 : tensor<?x2x1x12x8xf32, #nn.dims<batch, _, _, _, _>>, tensor<2x1x12x8xf32>
    %v = nn.add %z, %v0 : tensor<?x2x1x12x8xf32, #nn.dims<batch, _, _, _, _>>, tensor<2x1x12x8xf32>
    %s = nn.matmul %q, %k transpose_b : tensor<?x2x3x12x8xf32, #nn.dims<batch, _, _, _, _>>, tensor<?x2x1x12x8xf32, #nn.dims<batch, _, _, _, _>>
    %p = nn.softmax %s axis 4 : tensor<?x2x3x12x12xf32, #nn.dims<batch, _, _, _, _>>
    %d = nn.dropout %p, %rng ratio 0.25 stream 0 : tensor<?x2x3x12x12xf32, #nn.dims<batch, _, _, _, _>>, tensor<2xi64>
    %y = nn.matmul %d, %v : tensor<?x2x3x12x12xf32, #nn.dims<batch, _, _, _, _>>, tensor<?x2x1x12x8xf32, #nn.dims<batch, _, _, _, _>>
    train.write %y, @y : tensor<?x2x3x12x8xf32, #nn.dims<batch, _, _, _, _>>
  }
}
