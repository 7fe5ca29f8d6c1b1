// A perceptron with dropout and a normalization over the batch whose library is that of a rank: one part of a batch, of which other processes have the others.
train.program @ranked attributes {batch_parts = 1 : i64} {
  train.dim open @batch = 8
  train.state parameter @w1 : tensor<3x4xf32> = dense<[[0.5, -0.25, 0.125, 1.0], [-0.5, 0.75, 0.25, -1.0], [0.375, 0.5, -0.625, 0.25]]>
  train.state parameter @w2 : tensor<4x3xf32> = dense<[[0.25, -0.5, 0.75], [1.0, 0.5, -0.25], [-0.75, 0.125, 0.5], [0.5, 0.25, -1.0]]>
  train.state parameter @scale : tensor<4xf32> = dense<[1.0, 0.5, 2.0, 1.5]>
  train.state parameter @shift : tensor<4xf32> = dense<[0.0, 0.25, -0.25, 0.125]>
  train.state buffer @mean : tensor<4xf32> = dense<0.0>
  train.state buffer @variance : tensor<4xf32> = dense<1.0>
  train.state rng @rng : tensor<2xi64>
  train.input @x : tensor<?x3xf32, #nn.dims<batch, _>>
  train.input target @labels range [0, 3) ignore -100 : tensor<?xi64, #nn.dims<batch>>
  train.output prediction @scores : tensor<?x3xf32, #nn.dims<batch, _>>
  train.output loss @step_loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<?x3xf32, #nn.dims<batch, _>>
    %w1 = train.read @w1 : tensor<3x4xf32>
    %w2 = train.read @w2 : tensor<4x3xf32>
    %p = nn.matmul %x, %w1 : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<3x4xf32>
    %scale = train.read @scale : tensor<4xf32>
    %shift = train.read @shift : tensor<4xf32>
    %n = train.batch_norm %p, %scale, %shift running @mean, @variance momentum 0.75 epsilon 1.0e-2 : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<4xf32>, tensor<4xf32>
    %h = nn.tanh %n : tensor<?x4xf32, #nn.dims<batch, _>>
    %rng = train.read @rng : tensor<2xi64>
    %d = nn.dropout %h, %rng ratio 0.25 stream 0 : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<2xi64>
    %y = nn.matmul %d, %w2 : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<4x3xf32>
    %labels = train.read @labels : tensor<?xi64, #nn.dims<batch>>
    %loss, %weight = nn.softmax_cross_entropy mean %y, %labels ignore_index -100 : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<?xi64, #nn.dims<batch>>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
    train.write %y, @scores : tensor<?x3xf32, #nn.dims<batch, _>>
  }
}
