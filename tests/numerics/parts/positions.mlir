module {
  train.program @positions {
    train.input @x : tensor<2x6x32xf32>
    train.state parameter @w : tensor<32x96xf32>
    train.output prediction @y : tensor<2x6x32xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<2x6x32xf32>
      %w = train.read @w : tensor<32x96xf32>
      %p = nn.matmul %x, %w : tensor<2x6x32xf32>, tensor<32x96xf32>
      %h = nn.reshape %p : tensor<2x6x96xf32> -> tensor<2x6x3x2x16xf32>
      %t = nn.transpose %h [2, 0, 3, 1, 4] : tensor<2x6x3x2x16xf32>
      %i0 = nn.constant dense<0> : tensor<i64>
      %i1 = nn.constant dense<1> : tensor<i64>
      %i2 = nn.constant dense<-1> : tensor<i64>
      %q = nn.gather %t, %i0 axis 0 : tensor<3x2x2x6x16xf32>, tensor<i64>
      %k = nn.gather %t, %i1 axis 0 : tensor<3x2x2x6x16xf32>, tensor<i64>
      %v = nn.gather %t, %i2 axis 0 : tensor<3x2x2x6x16xf32>, tensor<i64>
      %s = nn.matmul %q, %k transpose_b : tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>
      %a = nn.softmax %s axis 3 : tensor<2x2x6x6xf32>
      %o = nn.matmul %a, %v : tensor<2x2x6x6xf32>, tensor<2x2x6x16xf32>
      %ot = nn.transpose %o [0, 2, 1, 3] : tensor<2x2x6x16xf32>
      %y = nn.reshape %ot : tensor<2x6x2x16xf32> -> tensor<2x6x32xf32>
      train.write %y, @y : tensor<2x6x32xf32>
    }
  }
}
