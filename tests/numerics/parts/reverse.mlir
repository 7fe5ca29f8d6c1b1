module {
  train.program @reverse {
    train.input @x : tensor<4x20xf32>
    train.state parameter @w : tensor<20xf32>
    train.state parameter @v : tensor<20xf32>
    train.output prediction @y : tensor<4x40xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<4x20xf32>
      %w = train.read @w : tensor<20xf32>
      %v = train.read @v : tensor<20xf32>
      %a = nn.mul %x, %w : tensor<4x20xf32>, tensor<20xf32>
      %r = nn.reverse %a axes [1] : tensor<4x20xf32>
      %b = nn.mul %r, %v : tensor<4x20xf32>, tensor<20xf32>
      %s = nn.slice %b starts [0, 0] limits [4, 20] steps [1, 1] : tensor<4x20xf32>
      %y = nn.concat %a, %s axis 1 : tensor<4x20xf32>, tensor<4x20xf32>
      train.write %y, @y : tensor<4x40xf32>
    }
  }
}
