// The scores of ten classes for images of three colors.
train.program @colors {
  train.dim @batch = 8
  train.input @image : tensor<?x3x32x32xf32, #nn.dims<batch, _, _, _>>
  train.state parameter @weight : tensor<10x3072xf32> = dense<0.01>
  train.output prediction @scores : tensor<?x10xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %image = train.read @image : tensor<?x3x32x32xf32, #nn.dims<batch, _, _, _>>
    %rows = nn.reshape %image : tensor<?x3x32x32xf32, #nn.dims<batch, _, _, _>> -> tensor<?x3072xf32, #nn.dims<batch, _>>
    %weight = train.read @weight : tensor<10x3072xf32>
    %scores = nn.matmul %rows, %weight transpose_b : tensor<?x3072xf32, #nn.dims<batch, _>>, tensor<10x3072xf32>
    train.write %scores, @scores : tensor<?x10xf32, #nn.dims<batch, _>>
  }
}
