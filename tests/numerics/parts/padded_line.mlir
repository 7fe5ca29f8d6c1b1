module {
  train.program @padded_line {
    train.input @x : tensor<3x2x1x9xf32>
    train.state parameter @w0 : tensor<20x2x3x3xf32>
    train.state parameter @w1 : tensor<17x20x3x3xf32>
    train.output prediction @y : tensor<3x17x1x5xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<3x2x1x9xf32>
      %w0 = train.read @w0 : tensor<20x2x3x3xf32>
      %w1 = train.read @w1 : tensor<17x20x3x3xf32>
      %s = nn.conv %x, %w0 strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<3x2x1x9xf32>, tensor<20x2x3x3xf32>
      %r = nn.relu %s : tensor<3x20x1x9xf32>
      %y = nn.conv %r, %w1 strides [1, 2] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<3x20x1x9xf32>, tensor<17x20x3x3xf32>
      train.write %y, @y : tensor<3x17x1x5xf32>
    }
  }
}
