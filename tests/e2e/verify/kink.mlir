// The operand of a ReLU is as near to 0 as three roundings of the numbers that it is the difference of.
train.program @kink {
  train.dim @batch = 4
  train.state parameter @a : tensor<1xf32> = dense<1.00000036>
  train.input @x : tensor<?x1xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x1xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x1xf32, #nn.dims<batch, _>>
    %a = train.read @a : tensor<1xf32>
    %b = nn.constant dense<1.0> : tensor<1xf32>
    %0 = nn.mul %x, %x : tensor<?x1xf32, #nn.dims<batch, _>>, tensor<?x1xf32, #nn.dims<batch, _>>
    %1 = nn.sub %a, %b : tensor<1xf32>, tensor<1xf32>
    %2 = nn.mul %0, %1 : tensor<?x1xf32, #nn.dims<batch, _>>, tensor<1xf32>
    %3 = nn.relu %2 : tensor<?x1xf32, #nn.dims<batch, _>>
    train.write %3, @y : tensor<?x1xf32, #nn.dims<batch, _>>
  }
}
