module {
  train.program @rows {
    train.input @x : tensor<1x6xf32>
    train.state parameter @w : tensor<6x19xf32>
    train.state parameter @u : tensor<6x19xf32>
    train.state parameter @v : tensor<19x2xf32>
    train.output prediction @y : tensor<3x2xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<1x6xf32>
      %w = train.read @w : tensor<6x19xf32>
      %u = train.read @u : tensor<6x19xf32>
      %v = train.read @v : tensor<19x2xf32>
      %a = nn.matmul %x, %w : tensor<1x6xf32>, tensor<6x19xf32>
      %b = nn.matmul %x, %u : tensor<1x6xf32>, tensor<6x19xf32>
      %e = nn.tanh %a : tensor<1x19xf32>
      %f = nn.sigmoid %b : tensor<1x19xf32>
      %g = nn.exp %b : tensor<1x19xf32>
      %c = nn.concat %e, %f, %g axis 0 : tensor<1x19xf32>, tensor<1x19xf32>, tensor<1x19xf32>
      %y = nn.matmul %c, %v : tensor<3x19xf32>, tensor<19x2xf32>
      train.write %y, @y : tensor<3x2xf32>
    }
  }
}
