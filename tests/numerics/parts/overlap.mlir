module {
  train.program @overlap {
    train.input @x : tensor<4x6xf32>
    train.state parameter @w : tensor<6x70xf32>
    train.output prediction @y : tensor<4x40xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<4x6xf32>
      %w = train.read @w : tensor<6x70xf32>
      %h = nn.matmul %x, %w : tensor<4x6xf32>, tensor<6x70xf32>
      %a = nn.slice %h starts [0, 0] limits [4, 40] steps [1, 1] : tensor<4x70xf32>
      %b = nn.slice %h starts [0, 30] limits [4, 70] steps [1, 1] : tensor<4x70xf32>
      %e = nn.exp %a : tensor<4x40xf32>
      %y = nn.mul %e, %b : tensor<4x40xf32>, tensor<4x40xf32>
      train.write %y, @y : tensor<4x40xf32>
    }
  }
}
