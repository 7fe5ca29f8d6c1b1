// A product with just so many results that a GPU computes it in large tiles, and with more steps than fit into shared
// memory. Few numbers are trained, because what is looked at is the product.
train.program @product {
  train.input @a : tensor<17024x136xf32>
  train.input @b : tensor<136x64xf32>
  train.state parameter @scale : tensor<64xf32> = dense<0.5>
  train.output prediction @y : tensor<17024x64xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<17024x136xf32>
    %b = train.read @b : tensor<136x64xf32>
    %scale = train.read @scale : tensor<64xf32>
    %product = nn.matmul %a, %b : tensor<17024x136xf32>, tensor<136x64xf32>
    %y = nn.mul %product, %scale : tensor<17024x64xf32>, tensor<64xf32>
    train.write %y, @y : tensor<17024x64xf32>
  }
}
