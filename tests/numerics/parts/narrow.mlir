module {
  train.program @narrow {
    train.input @x : tensor<6x9x11xf32>
    train.state parameter @w : tensor<11x23xf32>
    train.output prediction @y : tensor<3x9xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<6x9x11xf32>
      %w = train.read @w : tensor<11x23xf32>
      %h = nn.matmul %x, %w : tensor<6x9x11xf32>, tensor<11x23xf32>
      %a = nn.slice %h starts [1, 0, 4] limits [6, 9, 5] steps [2, 1, 1] : tensor<6x9x23xf32>
      %b = nn.slice %h starts [0, 0, 2] limits [6, 9, 23] steps [2, 1, 7] : tensor<6x9x23xf32>
      %e = nn.exp %b : tensor<3x9x3xf32>
      %z = nn.sum %e axes [2] : tensor<3x9x3xf32>
      %f = nn.reshape %a : tensor<3x9x1xf32> -> tensor<3x9xf32>
      %y = nn.mul %f, %z : tensor<3x9xf32>, tensor<3x9xf32>
      train.write %y, @y : tensor<3x9xf32>
    }
  }
}
