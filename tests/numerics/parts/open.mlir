module {
  train.program @open {
    train.dim @batch = 3
    train.dim @seq = 5
    train.input @x : tensor<?x?x8xf32, #nn.dims<batch, seq, _>>
    train.state parameter @w : tensor<8x48xf32>
    train.state parameter @v : tensor<32x3xf32>
    train.output prediction @y : tensor<?x?x3xf32, #nn.dims<batch, seq, _>>
    train.function forward @forward {
      %x = train.read @x : tensor<?x?x8xf32, #nn.dims<batch, seq, _>>
      %w = train.read @w : tensor<8x48xf32>
      %v = train.read @v : tensor<32x3xf32>
      %h = nn.matmul %x, %w : tensor<?x?x8xf32, #nn.dims<batch, seq, _>>, tensor<8x48xf32>
      %a = nn.slice %h starts [0, 0, 0] limits [-1, -1, 16] steps [1, 1, 1] : tensor<?x?x48xf32, #nn.dims<batch, seq, _>>
      %b = nn.slice %h starts [0, 0, 16] limits [-1, -1, 48] steps [1, 1, 1] : tensor<?x?x48xf32, #nn.dims<batch, seq, _>>
      %c = nn.slice %b starts [0, 0, 8] limits [-1, -1, 24] steps [1, 1, 1] : tensor<?x?x32xf32, #nn.dims<batch, seq, _>>
      %t = nn.tanh %a : tensor<?x?x16xf32, #nn.dims<batch, seq, _>>
      %s = nn.sigmoid %c : tensor<?x?x16xf32, #nn.dims<batch, seq, _>>
      %j = nn.concat %t, %s axis 2 : tensor<?x?x16xf32, #nn.dims<batch, seq, _>>, tensor<?x?x16xf32, #nn.dims<batch, seq, _>>
      %y = nn.matmul %j, %v : tensor<?x?x32xf32, #nn.dims<batch, seq, _>>, tensor<32x3xf32>
      train.write %y, @y : tensor<?x?x3xf32, #nn.dims<batch, seq, _>>
    }
  }
}
