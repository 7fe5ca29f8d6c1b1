module {
  train.program @open_offset {
    train.dim @batch = 3
    train.dim @seq = 5
    train.input @x : tensor<?x1x?x8xf32, #nn.dims<batch, _, seq, _>>
    train.state parameter @w : tensor<3x1x1xf32>
    train.output prediction @y : tensor<?x4x?x8xf32, #nn.dims<batch, _, seq, _>>
    train.function forward @forward {
      %x = train.read @x : tensor<?x1x?x8xf32, #nn.dims<batch, _, seq, _>>
      %w = train.read @w : tensor<3x1x1xf32>
      %h = nn.mul %x, %w : tensor<?x1x?x8xf32, #nn.dims<batch, _, seq, _>>, tensor<3x1x1xf32>
      %a = nn.slice %h starts [0, 1, 0, 0] limits [-1, 3, -1, 8] steps [1, 1, 1, 1] : tensor<?x3x?x8xf32, #nn.dims<batch, _, seq, _>>
      %t = nn.tanh %a : tensor<?x2x?x8xf32, #nn.dims<batch, _, seq, _>>
      %s = nn.exp %a : tensor<?x2x?x8xf32, #nn.dims<batch, _, seq, _>>
      %y = nn.concat %t, %s axis 1 : tensor<?x2x?x8xf32, #nn.dims<batch, _, seq, _>>, tensor<?x2x?x8xf32, #nn.dims<batch, _, seq, _>>
      train.write %y, @y : tensor<?x4x?x8xf32, #nn.dims<batch, _, seq, _>>
    }
  }
}
