// A layer of odd sizes in large tiles, trained: copies are of single elements.
train.program @odd {
  train.state parameter @w : tensor<2047x1001xf32> = dense<0.5>
  train.state parameter @b : tensor<2047xf32> = dense<0.5>
  train.state parameter @v : tensor<1003x2047xf32> = dense<0.5>
  train.input @x : tensor<1025x1001xf32>
  train.output prediction @y : tensor<1025x1003xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<1025x1001xf32>
    %w = train.read @w : tensor<2047x1001xf32>
    %b = train.read @b : tensor<2047xf32>
    %v = train.read @v : tensor<1003x2047xf32>
    %0 = nn.matmul %x, %w transpose_b : tensor<1025x1001xf32>, tensor<2047x1001xf32>
    %1 = nn.add %0, %b : tensor<1025x2047xf32>, tensor<2047xf32>
    %2 = nn.gelu %1 : tensor<1025x2047xf32>
    %y = nn.matmul %2, %v transpose_b : tensor<1025x2047xf32>, tensor<1003x2047xf32>
    train.write %y, @y : tensor<1025x1003xf32>
  }
}
