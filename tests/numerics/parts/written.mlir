module {
  train.program @written {
    train.input @x : tensor<1x6x80xf32>
    train.state parameter @w : tensor<80xf32>
    train.output prediction @y : tensor<1x6x70xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<1x6x80xf32>
      %w = train.read @w : tensor<80xf32>
      %h = nn.mul %x, %w : tensor<1x6x80xf32>, tensor<80xf32>
      %y = nn.slice %h starts [0, 0, 7] limits [1, 6, 77] steps [1, 1, 1] : tensor<1x6x80xf32>
      train.write %y, @y : tensor<1x6x70xf32>
    }
  }
}
