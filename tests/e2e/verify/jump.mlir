// Parameters begin where a floor jumps, for one of them in front, for the other one behind: the loss grows along both,
// and there is no slope.
train.program @jump {
  train.dim @batch = 4
  train.state parameter @w : tensor<2xf32> = dense<0.0>
  train.input @x : tensor<?x2xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x2xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x2xf32, #nn.dims<batch, _>>
    %w = train.read @w : tensor<2xf32>
    %signs = nn.constant dense<[1.0, -1.0]> : tensor<2xf32>
    %three = nn.constant dense<3.0> : tensor<2xf32>
    %0 = nn.mul %w, %signs : tensor<2xf32>, tensor<2xf32>
    %1 = nn.floor %0 : tensor<2xf32>
    %2 = nn.mul %1, %signs : tensor<2xf32>, tensor<2xf32>
    %4 = nn.add %2, %three : tensor<2xf32>, tensor<2xf32>
    %3 = nn.add %x, %4 : tensor<?x2xf32, #nn.dims<batch, _>>, tensor<2xf32>
    train.write %3, @y : tensor<?x2xf32, #nn.dims<batch, _>>
  }
}
