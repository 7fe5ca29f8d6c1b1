module {
  train.program @pooled {
    train.input @x : tensor<2x3x13x11xf32>
    train.state parameter @w0 : tensor<6x3x3x3xf32>
    train.state parameter @b0 : tensor<6x1x1xf32>
    train.state parameter @w1 : tensor<5x6x2x2xf32>
    train.state parameter @b1 : tensor<5x1x1xf32>
    train.state parameter @w2 : tensor<20x3xf32>
    train.output prediction @y : tensor<2x3xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<2x3x13x11xf32>
      %w0 = train.read @w0 : tensor<6x3x3x3xf32>
      %b0 = train.read @b0 : tensor<6x1x1xf32>
      %w1 = train.read @w1 : tensor<5x6x2x2xf32>
      %b1 = train.read @b1 : tensor<5x1x1xf32>
      %w2 = train.read @w2 : tensor<20x3xf32>
      %s = nn.conv %x, %w0 strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<2x3x13x11xf32>, tensor<6x3x3x3xf32>
      %t = nn.add %s, %b0 : tensor<2x6x13x11xf32>, tensor<6x1x1xf32>
      %r = nn.relu %t : tensor<2x6x13x11xf32>
      %p, %at = nn.max_pool %r kernel [3, 3] strides [2, 2] low [1, 1] high [1, 0] dilations [1, 1] : tensor<2x6x13x11xf32>
      %c = nn.conv %p, %w1 strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x6x7x5xf32>, tensor<5x6x2x2xf32>
      %d = nn.add %c, %b1 : tensor<2x5x6x4xf32>, tensor<5x1x1xf32>
      %e = nn.relu %d : tensor<2x5x6x4xf32>
      %q, %on = nn.max_pool %e kernel [3, 2] strides [3, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x5x6x4xf32>
      %f = nn.reshape %q : tensor<2x5x2x2xf32> -> tensor<2x20xf32>
      %y = nn.matmul %f, %w2 : tensor<2x20xf32>, tensor<20x3xf32>
      train.write %y, @y : tensor<2x3xf32>
    }
  }
}
