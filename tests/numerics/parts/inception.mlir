module {
  train.program @inception {
    train.input @x : tensor<2x3x9x7xf32>
    train.state parameter @w0 : tensor<16x3x3x3xf32>
    train.state parameter @w1 : tensor<32x16x1x1xf32>
    train.state parameter @w2 : tensor<16x16x3x3xf32>
    train.state parameter @w3 : tensor<17x16x1x1xf32>
    train.state parameter @v : tensor<5x65x1x1xf32>
    train.output prediction @y : tensor<2x5x9x7xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<2x3x9x7xf32>
      %w0 = train.read @w0 : tensor<16x3x3x3xf32>
      %w1 = train.read @w1 : tensor<32x16x1x1xf32>
      %w2 = train.read @w2 : tensor<16x16x3x3xf32>
      %w3 = train.read @w3 : tensor<17x16x1x1xf32>
      %v = train.read @v : tensor<5x65x1x1xf32>
      %s = nn.conv %x, %w0 strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<2x3x9x7xf32>, tensor<16x3x3x3xf32>
      %r = nn.relu %s : tensor<2x16x9x7xf32>
      %a = nn.conv %r, %w1 strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x16x9x7xf32>, tensor<32x16x1x1xf32>
      %b = nn.conv %r, %w2 strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<2x16x9x7xf32>, tensor<16x16x3x3xf32>
      %c = nn.conv %r, %w3 strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x16x9x7xf32>, tensor<17x16x1x1xf32>
      %ar = nn.relu %a : tensor<2x32x9x7xf32>
      %br = nn.tanh %b : tensor<2x16x9x7xf32>
      %cr = nn.sigmoid %c : tensor<2x17x9x7xf32>
      %j = nn.concat %ar, %br, %cr axis 1 : tensor<2x32x9x7xf32>, tensor<2x16x9x7xf32>, tensor<2x17x9x7xf32>
      %y = nn.conv %j, %v strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x65x9x7xf32>, tensor<5x65x1x1xf32>
      train.write %y, @y : tensor<2x5x9x7xf32>
    }
  }
}
