// The sum of an image's pixels, each with a weight: images of 1x4x4.
train.program @pixels {
  train.dim @batch = 8
  train.state parameter @weight : tensor<1x4x4xf32> = dense<0.5>
  train.input @image : tensor<?x1x4x4xf32, #nn.dims<batch, _, _, _>>
  train.output prediction @y : tensor<?xf32, #nn.dims<batch>>
  train.function forward @forward {
    %x = train.read @image : tensor<?x1x4x4xf32, #nn.dims<batch, _, _, _>>
    %w = train.read @weight : tensor<1x4x4xf32>
    %0 = nn.mul %x, %w : tensor<?x1x4x4xf32, #nn.dims<batch, _, _, _>>, tensor<1x4x4xf32>
    %1 = nn.sum %0 axes [1, 2, 3] : tensor<?x1x4x4xf32, #nn.dims<batch, _, _, _>>
    train.write %1, @y : tensor<?xf32, #nn.dims<batch>>
  }
}
