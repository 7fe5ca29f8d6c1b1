// Attentions with heads of 64 and 128 numbers, a causal mask and one that is read, and their gradients.
train.program @attention {
  train.state parameter @q : tensor<2x4x200x64xf32> = dense<0.5>
  train.state parameter @k : tensor<2x4x200x64xf32> = dense<0.5>
  train.state parameter @v : tensor<2x4x200x64xf32> = dense<0.5>
  train.state parameter @wide : tensor<2x4x200x128xf32> = dense<0.5>
  train.state parameter @wideKeys : tensor<2x4x200x128xf32> = dense<0.5>
  train.state parameter @wideValues : tensor<2x4x200x128xf32> = dense<0.5>
  train.input @mask : tensor<2x1x1x200xi1>
  train.output prediction @y : tensor<2x4x200x192xf32>
  train.function forward @forward {
    %q = train.read @q : tensor<2x4x200x64xf32>
    %k = train.read @k : tensor<2x4x200x64xf32>
    %v = train.read @v : tensor<2x4x200x64xf32>
    %wide = train.read @wide : tensor<2x4x200x128xf32>
    %wideKeys = train.read @wideKeys : tensor<2x4x200x128xf32>
    %wideValues = train.read @wideValues : tensor<2x4x200x128xf32>
    %mask = train.read @mask : tensor<2x1x1x200xi1>
    %rows = nn.iota axis 0 : tensor<200x1xi64>
    %columns = nn.iota axis 1 : tensor<1x200xi64>
    %sees = nn.compare le %columns, %rows : tensor<1x200xi64>, tensor<200x1xi64>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %s0 = nn.matmul %q, %k transpose_b : tensor<2x4x200x64xf32>, tensor<2x4x200x64xf32>
    %s = nn.select %sees, %s0, %never : tensor<200x200xi1>, tensor<2x4x200x200xf32>, tensor<f32>
    %p = nn.softmax %s axis 3 : tensor<2x4x200x200xf32>
    %y = nn.matmul %p, %v : tensor<2x4x200x200xf32>, tensor<2x4x200x64xf32>
    %t0 = nn.matmul %wide, %wideKeys transpose_b : tensor<2x4x200x128xf32>, tensor<2x4x200x128xf32>
    %t = nn.select %mask, %t0, %never : tensor<2x1x1x200xi1>, tensor<2x4x200x200xf32>, tensor<f32>
    %r = nn.softmax %t axis 3 {empty_to_zero} : tensor<2x4x200x200xf32>
    %z = nn.matmul %r, %wideValues : tensor<2x4x200x200xf32>, tensor<2x4x200x128xf32>
    %all = nn.concat %y, %z axis 3 : tensor<2x4x200x64xf32>, tensor<2x4x200x128xf32>
    train.write %all, @y : tensor<2x4x200x192xf32>
  }
}
