// Products in the largest tiles, whose operands lie either way, and convolutions, which read in windows.
train.program @products {
  train.input @x : tensor<2048x1024xf32>
  train.input @u : tensor<1024x2048xf32>
  train.state parameter @w : tensor<1024x1024xf32> = dense<0.5>
  train.state parameter @v : tensor<1001x1025xf32> = dense<0.5>
  train.input @odd : tensor<1025x2047xf32>
  train.input @image : tensor<32x64x34x34xf32>
  train.state parameter @filter : tensor<128x64x3x3xf32> = dense<0.5>
  train.output prediction @a : tensor<2048x1024xf32>
  train.output prediction @b : tensor<2048x1024xf32>
  train.output prediction @c : tensor<2048x1024xf32>
  train.output prediction @d : tensor<2048x1024xf32>
  train.output prediction @e : tensor<1001x2047xf32>
  train.output prediction @f : tensor<32x128x32x32xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2048x1024xf32>
    %u = train.read @u : tensor<1024x2048xf32>
    %w = train.read @w : tensor<1024x1024xf32>
    %v = train.read @v : tensor<1001x1025xf32>
    %odd = train.read @odd : tensor<1025x2047xf32>
    %image = train.read @image : tensor<32x64x34x34xf32>
    %filter = train.read @filter : tensor<128x64x3x3xf32>
    %a = nn.matmul %x, %w : tensor<2048x1024xf32>, tensor<1024x1024xf32>
    %b = nn.matmul %x, %w transpose_b : tensor<2048x1024xf32>, tensor<1024x1024xf32>
    %c = nn.matmul %u, %w transpose_a : tensor<1024x2048xf32>, tensor<1024x1024xf32>
    %d = nn.matmul %u, %w transpose_a transpose_b : tensor<1024x2048xf32>, tensor<1024x1024xf32>
    %e = nn.matmul %v, %odd : tensor<1001x1025xf32>, tensor<1025x2047xf32>
    %f = nn.conv %image, %filter strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<32x64x34x34xf32>, tensor<128x64x3x3xf32>
    train.write %a, @a : tensor<2048x1024xf32>
    train.write %b, @b : tensor<2048x1024xf32>
    train.write %c, @c : tensor<2048x1024xf32>
    train.write %d, @d : tensor<2048x1024xf32>
    train.write %e, @e : tensor<1001x2047xf32>
    train.write %f, @f : tensor<32x128x32x32xf32>
  }
}
