module {
  train.program @split {
    train.input @x : tensor<3x5x7xf32>
    train.state parameter @w : tensor<7x54xf32>
    train.state parameter @v : tensor<18x4xf32>
    train.output prediction @y : tensor<3x5x4xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<3x5x7xf32>
      %w = train.read @w : tensor<7x54xf32>
      %v = train.read @v : tensor<18x4xf32>
      %p = nn.matmul %x, %w : tensor<3x5x7xf32>, tensor<7x54xf32>
      %h = nn.tanh %p : tensor<3x5x54xf32>
      %a = nn.slice %h starts [0, 0, 0] limits [3, 5, 18] steps [1, 1, 1] : tensor<3x5x54xf32>
      %b = nn.slice %h starts [0, 0, 18] limits [3, 5, 36] steps [1, 1, 1] : tensor<3x5x54xf32>
      %c = nn.slice %h starts [0, 0, 36] limits [3, 5, 54] steps [1, 1, 1] : tensor<3x5x54xf32>
      %s = nn.sigmoid %b : tensor<3x5x18xf32>
      %g = nn.mul %a, %s : tensor<3x5x18xf32>, tensor<3x5x18xf32>
      %k = nn.add %g, %c : tensor<3x5x18xf32>, tensor<3x5x18xf32>
      %y = nn.matmul %k, %v : tensor<3x5x18xf32>, tensor<18x4xf32>
      train.write %y, @y : tensor<3x5x4xf32>
    }
  }
}
