module {
  train.program @dense {
    train.input @x : tensor<2x8x8x32xf32>
    train.state parameter @s1 : tensor<32xf32>
    train.state parameter @w1 : tensor<32x16xf32>
    train.state parameter @w2 : tensor<48x16xf32>
    train.state parameter @w3 : tensor<64x10xf32>
    train.output prediction @y : tensor<2x8x8x10xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<2x8x8x32xf32>
      %s1 = train.read @s1 : tensor<32xf32>
      %x0 = nn.mul %x, %s1 : tensor<2x8x8x32xf32>, tensor<32xf32>
      %w1 = train.read @w1 : tensor<32x16xf32>
      %w2 = train.read @w2 : tensor<48x16xf32>
      %m1 = nn.matmul %x0, %w1 : tensor<2x8x8x32xf32>, tensor<32x16xf32>
      %x1 = nn.relu %m1 : tensor<2x8x8x16xf32>
      %c1 = nn.concat %x0, %x1 axis 3 : tensor<2x8x8x32xf32>, tensor<2x8x8x16xf32>
      %m2 = nn.matmul %c1, %w2 : tensor<2x8x8x48xf32>, tensor<48x16xf32>
      %x2 = nn.relu %m2 : tensor<2x8x8x16xf32>
      %c2 = nn.concat %c1, %x2 axis 3 : tensor<2x8x8x48xf32>, tensor<2x8x8x16xf32>
      %w3 = train.read @w3 : tensor<64x10xf32>
      %y = nn.matmul %c2, %w3 : tensor<2x8x8x64xf32>, tensor<64x10xf32>
      train.write %y, @y : tensor<2x8x8x10xf32>
    }
  }
}
