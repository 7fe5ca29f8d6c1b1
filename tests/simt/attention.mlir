// A causal attention with more keys than a block of threads has at a time, and some that another mask hides.
train.program @attention {
  train.dim @batch = 2
  train.input @x : tensor<?x40x128xf32, #nn.dims<batch, _, _>>
  train.input @counts : tensor<?x1x40xi1, #nn.dims<batch, _, _>>
  train.state parameter @q : tensor<40x128xf32> = dense<0.02>
  train.state parameter @k : tensor<40x128xf32> = dense<0.03>
  train.state parameter @v : tensor<40x128xf32> = dense<0.5>
  train.output prediction @y : tensor<?x40x128xf32, #nn.dims<batch, _, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x40x128xf32, #nn.dims<batch, _, _>>
    %counts = train.read @counts : tensor<?x1x40xi1, #nn.dims<batch, _, _>>
    %q0 = train.read @q : tensor<40x128xf32>
    %k0 = train.read @k : tensor<40x128xf32>
    %v0 = train.read @v : tensor<40x128xf32>
    %q = nn.add %x, %q0 : tensor<?x40x128xf32, #nn.dims<batch, _, _>>, tensor<40x128xf32>
    %k = nn.mul %x, %k0 : tensor<?x40x128xf32, #nn.dims<batch, _, _>>, tensor<40x128xf32>
    %v = nn.mul %x, %v0 : tensor<?x40x128xf32, #nn.dims<batch, _, _>>, tensor<40x128xf32>
    %rows = nn.iota axis 0 : tensor<40x1xi64>
    %columns = nn.iota axis 1 : tensor<1x40xi64>
    %earlier = nn.compare le %columns, %rows : tensor<1x40xi64>, tensor<40x1xi64>
    %sees = nn.logical_and %counts, %earlier : tensor<?x1x40xi1, #nn.dims<batch, _, _>>, tensor<40x40xi1>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %s = nn.matmul %q, %k transpose_b : tensor<?x40x128xf32, #nn.dims<batch, _, _>>, tensor<?x40x128xf32, #nn.dims<batch, _, _>>
    %m = nn.select %sees, %s, %never : tensor<?x40x40xi1, #nn.dims<batch, _, _>>, tensor<?x40x40xf32, #nn.dims<batch, _, _>>, tensor<f32>
    %p = nn.softmax %m axis 2 {empty_to_zero} : tensor<?x40x40xf32, #nn.dims<batch, _, _>>
    %y = nn.matmul %p, %v : tensor<?x40x40xf32, #nn.dims<batch, _, _>>, tensor<?x40x128xf32, #nn.dims<batch, _, _>>
    train.write %y, @y : tensor<?x40x128xf32, #nn.dims<batch, _, _>>
  }
}
