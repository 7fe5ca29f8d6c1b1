// Attentions with heads of the sizes that kernels have blocks for.
train.program @attention {
  train.state parameter @q : tensor<2x4x200x64xf32> = dense<0.5>
  train.state parameter @k : tensor<2x4x200x64xf32> = dense<0.5>
  train.state parameter @v : tensor<2x4x200x64xf32> = dense<0.5>
  train.state parameter @wide : tensor<2x4x200x128xf32> = dense<0.5>
  train.state parameter @odd : tensor<2x4x200x40xf32> = dense<0.5>
  train.input @mask : tensor<2x1x1x200xi1>
  train.output prediction @y : tensor<2x4x200x64xf32>
  train.output prediction @z : tensor<2x4x200x128xf32>
  train.output prediction @u : tensor<2x4x200x40xf32>
  train.function forward @forward {
    %q = train.read @q : tensor<2x4x200x64xf32>
    %k = train.read @k : tensor<2x4x200x64xf32>
    %v = train.read @v : tensor<2x4x200x64xf32>
    %wide = train.read @wide : tensor<2x4x200x128xf32>
    %odd = train.read @odd : tensor<2x4x200x40xf32>
    %mask = train.read @mask : tensor<2x1x1x200xi1>
    %rows = nn.iota axis 0 : tensor<200x1xi64>
    %columns = nn.iota axis 1 : tensor<1x200xi64>
    %sees = nn.compare le %columns, %rows : tensor<1x200xi64>, tensor<200x1xi64>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %s0 = nn.matmul %q, %k transpose_b : tensor<2x4x200x64xf32>, tensor<2x4x200x64xf32>
    %s = nn.select %sees, %s0, %never : tensor<200x200xi1>, tensor<2x4x200x200xf32>, tensor<f32>
    %p = nn.softmax %s axis 3 : tensor<2x4x200x200xf32>
    %y = nn.matmul %p, %v : tensor<2x4x200x200xf32>, tensor<2x4x200x64xf32>
    %t = nn.matmul %wide, %wide transpose_b : tensor<2x4x200x128xf32>, tensor<2x4x200x128xf32>
    %r = nn.softmax %t axis 3 : tensor<2x4x200x200xf32>
    %z = nn.matmul %r, %wide : tensor<2x4x200x200xf32>, tensor<2x4x200x128xf32>
    %n0 = nn.matmul %odd, %odd transpose_b : tensor<2x4x200x40xf32>, tensor<2x4x200x40xf32>
    %n = nn.select %mask, %n0, %never : tensor<2x1x1x200xi1>, tensor<2x4x200x200xf32>, tensor<f32>
    %o = nn.softmax %n axis 3 {empty_to_zero} : tensor<2x4x200x200xf32>
    %u = nn.matmul %o, %odd : tensor<2x4x200x200xf32>, tensor<2x4x200x40xf32>
    train.write %y, @y : tensor<2x4x200x64xf32>
    train.write %z, @z : tensor<2x4x200x128xf32>
    train.write %u, @u : tensor<2x4x200x40xf32>
  }
}
