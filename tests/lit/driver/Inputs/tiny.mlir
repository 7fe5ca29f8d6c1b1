// Scores of two classes of images of 3x8x8, of their colours alone.
train.program @tiny {
  train.dim @batch = 4
  train.state parameter @weight : tensor<2x192xf32> = dense<0.0>
  train.input @image : tensor<?x3x8x8xf32, #nn.dims<batch, _, _, _>>
  train.output prediction @scores : tensor<?x2xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %image = train.read @image : tensor<?x3x8x8xf32, #nn.dims<batch, _, _, _>>
    %weight = train.read @weight : tensor<2x192xf32>
    %rows = nn.reshape %image : tensor<?x3x8x8xf32, #nn.dims<batch, _, _, _>> -> tensor<?x192xf32, #nn.dims<batch, _>>
    %scores = nn.matmul %rows, %weight transpose_b : tensor<?x192xf32, #nn.dims<batch, _>>, tensor<2x192xf32>
    train.write %scores, @scores : tensor<?x2xf32, #nn.dims<batch, _>>
  }
}
