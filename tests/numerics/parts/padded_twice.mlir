module {
  train.program @padded_twice {
    train.input @x : tensor<6x16xf32>
    train.state parameter @w : tensor<16x64xf32>
    train.state parameter @v : tensor<112x3xf32>
    train.state parameter @u : tensor<80x3xf32>
    train.output prediction @y : tensor<6x3xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<6x16xf32>
      %w = train.read @w : tensor<16x64xf32>
      %v = train.read @v : tensor<112x3xf32>
      %u = train.read @u : tensor<80x3xf32>
      %h = nn.matmul %x, %w : tensor<6x16xf32>, tensor<16x64xf32>
      %r = nn.reshape %h : tensor<6x64xf32> -> tensor<6x4x16xf32>
      %t = nn.tanh %r : tensor<6x4x16xf32>
      %p = nn.pad constant %t low [0, 1, 0] high [0, 0, 0] interior [0, 0, 0] value 0.0 : tensor<6x4x16xf32>
      %q = nn.pad constant %p low [0, 0, 0] high [0, 2, 0] interior [0, 0, 0] value 0.0 : tensor<6x5x16xf32>
      %o = nn.pad constant %t low [0, 0, 0] high [0, 1, 0] interior [0, 0, 0] value 1.5 : tensor<6x4x16xf32>
      %m = nn.slice %t starts [0, 0, 0] limits [6, 1, 3] steps [1, 1, 1] : tensor<6x4x16xf32>
      %qf = nn.reshape %q : tensor<6x7x16xf32> -> tensor<6x112xf32>
      %of = nn.reshape %o : tensor<6x5x16xf32> -> tensor<6x80xf32>
      %mf = nn.reshape %m : tensor<6x1x3xf32> -> tensor<6x3xf32>
      %a = nn.matmul %qf, %v : tensor<6x112xf32>, tensor<112x3xf32>
      %b = nn.matmul %of, %u : tensor<6x80xf32>, tensor<80x3xf32>
      %c = nn.add %a, %b : tensor<6x3xf32>, tensor<6x3xf32>
      %y = nn.add %c, %mf : tensor<6x3xf32>, tensor<6x3xf32>
      train.write %y, @y : tensor<6x3xf32>
    }
  }
}
