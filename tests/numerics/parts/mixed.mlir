module {
  train.program @mixed {
    train.input @x : tensor<5x33xf32>
    train.state parameter @w : tensor<33x40xf32>
    train.state parameter @u : tensor<33x1xf32>
    train.state parameter @v : tensor<152x3xf32>
    train.output prediction @y : tensor<5x3xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<5x33xf32>
      %w = train.read @w : tensor<33x40xf32>
      %u = train.read @u : tensor<33x1xf32>
      %v = train.read @v : tensor<152x3xf32>
      %a = nn.matmul %x, %w : tensor<5x33xf32>, tensor<33x40xf32>
      %o = nn.matmul %x, %u : tensor<5x33xf32>, tensor<33x1xf32>
      %t = nn.tanh %a : tensor<5x40xf32>
      %s = nn.slice %a starts [0, 3] limits [5, 34] steps [1, 1] : tensor<5x40xf32>
      %r = nn.sigmoid %o : tensor<5x1xf32>
      %q = nn.relu %a : tensor<5x40xf32>
      %c = nn.concat %t, %x, %s, %r, %t, %o axis 1 : tensor<5x40xf32>, tensor<5x33xf32>, tensor<5x31xf32>, tensor<5x1xf32>, tensor<5x40xf32>, tensor<5x1xf32>
      %d = nn.slice %c starts [0, 0] limits [5, 146] steps [1, 1] : tensor<5x146xf32>
      %vv = nn.slice %v starts [2, 0] limits [148, 3] steps [1, 1] : tensor<152x3xf32>
      %y = nn.matmul %d, %vv : tensor<5x146xf32>, tensor<146x3xf32>
      train.write %y, @y : tensor<5x3xf32>
    }
  }
}
