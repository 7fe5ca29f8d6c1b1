// A product that fills a register tile of any shape.
train.program @wide {
  train.state parameter @w : tensor<96x768xf32> = dense<0.5>
  train.input @x : tensor<64x96xf32>
  train.output prediction @y : tensor<64x768xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x96xf32>
    %w = train.read @w : tensor<96x768xf32>
    %0 = nn.matmul %x, %w : tensor<64x96xf32>, tensor<96x768xf32>
    train.write %0, @y : tensor<64x768xf32>
  }
}
