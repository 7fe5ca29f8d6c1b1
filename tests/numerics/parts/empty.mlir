module {
  train.program @empty {
    train.input @x : tensor<4x17xf32>
    train.state parameter @w : tensor<17x17xf32>
    train.output prediction @y : tensor<4x34xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<4x17xf32>
      %w = train.read @w : tensor<17x17xf32>
      %a = nn.matmul %x, %w : tensor<4x17xf32>, tensor<17x17xf32>
      %z = nn.slice %a starts [0, 5] limits [4, 5] steps [1, 1] : tensor<4x17xf32>
      %e = nn.tanh %a : tensor<4x17xf32>
      %zz = nn.exp %z : tensor<4x0xf32>
      %f = nn.exp %a : tensor<4x17xf32>
      %y = nn.concat %zz, %e, %z, %f axis 1 : tensor<4x0xf32>, tensor<4x17xf32>, tensor<4x0xf32>, tensor<4x17xf32>
      train.write %y, @y : tensor<4x34xf32>
    }
  }
}
