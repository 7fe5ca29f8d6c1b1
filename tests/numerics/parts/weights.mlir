module {
  train.program @weights {
    train.input @x : tensor<7x16xf32>
    train.state parameter @w : tensor<16x48xf32>
    train.state parameter @b : tensor<48xf32>
    train.output prediction @y : tensor<7x16xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<7x16xf32>
      %w = train.read @w : tensor<16x48xf32>
      %b = train.read @b : tensor<48xf32>
      %w0 = nn.slice %w starts [0, 0] limits [16, 16] steps [1, 1] : tensor<16x48xf32>
      %w1 = nn.slice %w starts [0, 16] limits [16, 32] steps [1, 1] : tensor<16x48xf32>
      %w2 = nn.slice %w starts [0, 32] limits [16, 48] steps [1, 1] : tensor<16x48xf32>
      %b0 = nn.slice %b starts [0] limits [16] steps [1] : tensor<48xf32>
      %b1 = nn.slice %b starts [16] limits [32] steps [1] : tensor<48xf32>
      %b2 = nn.slice %b starts [32] limits [48] steps [1] : tensor<48xf32>
      %p0 = nn.matmul %x, %w0 : tensor<7x16xf32>, tensor<16x16xf32>
      %p1 = nn.matmul %x, %w1 : tensor<7x16xf32>, tensor<16x16xf32>
      %p2 = nn.matmul %x, %w2 : tensor<7x16xf32>, tensor<16x16xf32>
      %q0 = nn.add %p0, %b0 : tensor<7x16xf32>, tensor<16xf32>
      %q1 = nn.add %p1, %b1 : tensor<7x16xf32>, tensor<16xf32>
      %q2 = nn.add %p2, %b2 : tensor<7x16xf32>, tensor<16xf32>
      %m = nn.mul %q0, %q1 : tensor<7x16xf32>, tensor<7x16xf32>
      %y = nn.add %m, %q2 : tensor<7x16xf32>, tensor<7x16xf32>
      train.write %y, @y : tensor<7x16xf32>
    }
  }
}
