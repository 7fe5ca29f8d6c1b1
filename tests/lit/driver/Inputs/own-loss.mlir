train.program @own {
  train.state parameter @w : tensor<4xf32>
  train.input target @target : tensor<4xf32>
  train.function forward @forward {
    %w = train.read @w : tensor<4xf32>
    %target = train.read @target : tensor<4xf32>
    %loss, %weight = nn.mse_loss mean %w, %target : tensor<4xf32>, tensor<4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
