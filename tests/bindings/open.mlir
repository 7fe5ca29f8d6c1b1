// Two sizes that the caller gives, and inputs of all types.
train.program @open {
  train.dim open @batch = 8
  train.dim open @seq = 5
  train.state parameter @w : tensor<4xf32> = dense<0.5>
  train.input @x : tensor<?x?x4xf32, #nn.dims<batch, seq, _>>
  train.input @wide : tensor<?x?x4xf64, #nn.dims<batch, seq, _>>
  train.input @mask : tensor<?x?xi1, #nn.dims<batch, seq>>
  train.input @places : tensor<?xi32, #nn.dims<seq>>
  train.input @pixels : tensor<?xui8, #nn.dims<seq>>
  train.input @scale : tensor<f32>
  train.output prediction @y : tensor<?x?x4xf32, #nn.dims<batch, seq, _>>
  train.function forward @forward {
    %w = train.read @w : tensor<4xf32>
    %s = train.read @scale : tensor<f32>
    %x = train.read @x : tensor<?x?x4xf32, #nn.dims<batch, seq, _>>
    %0 = nn.mul %x, %w : tensor<?x?x4xf32, #nn.dims<batch, seq, _>>, tensor<4xf32>
    %1 = nn.mul %0, %s : tensor<?x?x4xf32, #nn.dims<batch, seq, _>>, tensor<f32>
    train.write %1, @y : tensor<?x?x4xf32, #nn.dims<batch, seq, _>>
  }
}
