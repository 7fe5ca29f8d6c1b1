module {
  train.program @open_padded {
    train.dim @batch = 3
    train.dim @seq = 5
    train.input @x : tensor<?x?x8xf32, #nn.dims<batch, seq, _>>
    train.state parameter @w : tensor<8x64xf32>
    train.state parameter @v : tensor<16x3xf32>
    train.output prediction @y : tensor<?x?x7x3xf32, #nn.dims<batch, seq, _, _>>
    train.function forward @forward {
      %x = train.read @x : tensor<?x?x8xf32, #nn.dims<batch, seq, _>>
      %w = train.read @w : tensor<8x64xf32>
      %v = train.read @v : tensor<16x3xf32>
      %h = nn.matmul %x, %w : tensor<?x?x8xf32, #nn.dims<batch, seq, _>>, tensor<8x64xf32>
      %r = nn.reshape %h : tensor<?x?x64xf32, #nn.dims<batch, seq, _>> -> tensor<?x?x4x16xf32, #nn.dims<batch, seq, _, _>>
      %t = nn.tanh %r : tensor<?x?x4x16xf32, #nn.dims<batch, seq, _, _>>
      %p = nn.pad constant %t low [0, 0, 1, 0] high [0, 0, 2, 0] interior [0, 0, 0, 0] value 0.0 : tensor<?x?x4x16xf32, #nn.dims<batch, seq, _, _>>
      %y = nn.matmul %p, %v : tensor<?x?x7x16xf32, #nn.dims<batch, seq, _, _>>, tensor<16x3xf32>
      train.write %y, @y : tensor<?x?x7x3xf32, #nn.dims<batch, seq, _, _>>
    }
  }
}
