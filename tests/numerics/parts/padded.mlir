module {
  train.program @padded {
    train.input @x : tensor<2x3x7x5xf32>
    train.state parameter @w0 : tensor<16x3x3x3xf32>
    train.state parameter @w1 : tensor<16x16x3x3xf32>
    train.state parameter @w2 : tensor<16x16x5x5xf32>
    train.state parameter @w3 : tensor<5x32x3x3xf32>
    train.state parameter @w4 : tensor<5x16x1x1xf32>
    train.output prediction @y : tensor<2x5x7x5xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<2x3x7x5xf32>
      %w0 = train.read @w0 : tensor<16x3x3x3xf32>
      %w1 = train.read @w1 : tensor<16x16x3x3xf32>
      %w2 = train.read @w2 : tensor<16x16x5x5xf32>
      %w3 = train.read @w3 : tensor<5x32x3x3xf32>
      %w4 = train.read @w4 : tensor<5x16x1x1xf32>
      %s = nn.conv %x, %w0 strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<2x3x7x5xf32>, tensor<16x3x3x3xf32>
      %r = nn.relu %s : tensor<2x16x7x5xf32>
      %a = nn.conv %r, %w1 strides [1, 1] dilations [1, 1] low [2, 0] high [0, 2] groups 1 : tensor<2x16x7x5xf32>, tensor<16x16x3x3xf32>
      %b = nn.conv %r, %w2 strides [1, 1] dilations [1, 1] low [2, 2] high [2, 2] groups 1 : tensor<2x16x7x5xf32>, tensor<16x16x5x5xf32>
      %at = nn.tanh %a : tensor<2x16x7x5xf32>
      %bt = nn.sigmoid %b : tensor<2x16x7x5xf32>
      %c = nn.mul %bt, %r : tensor<2x16x7x5xf32>, tensor<2x16x7x5xf32>
      %j = nn.concat %at, %c axis 1 : tensor<2x16x7x5xf32>, tensor<2x16x7x5xf32>
      %d = nn.conv %j, %w3 strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<2x32x7x5xf32>, tensor<5x32x3x3xf32>
      %e = nn.conv %c, %w4 strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x16x7x5xf32>, tensor<5x16x1x1xf32>
      %y = nn.add %d, %e : tensor<2x5x7x5xf32>, tensor<2x5x7x5xf32>
      train.write %y, @y : tensor<2x5x7x5xf32>
    }
  }
}
