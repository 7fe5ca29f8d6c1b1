// Names that are keywords, take what a file is made of, or would end a comment, a text or a line.
train.program @names {
  train.dim @batch = 8
  train.state buffer @"bell\07 and escape\1B[31m" : tensor<f32>
  train.state buffer @"a line\0Aand \22a quote' */ -- \\u000a \\" : tensor<f64>
  train.state buffer @"\C3\A9t\C3\A9 \F0\9F\99\82" : tensor<2x3xi64>
  train.state buffer @"trailing " : tensor<2xi1>
  train.state buffer @"trailing" : tensor<2xi1>
  train.state buffer @bytes : tensor<3xui8>
  train.state parameter @"a*/b" : tensor<4xf32> = dense<0.5>
  train.input @self : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @"0/x.y" : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @"0/x y" : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @fn : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @"type\0A#error\0A" : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @func : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @FUNC : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @byte : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @BATCH : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @C : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @Reference : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @Native : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @c_loc : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @"\\u0022\22;\0D\0A*/ end module <b> & é" : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @rows : tensor<?x4xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %w = train.read @"a*/b" : tensor<4xf32>
    %0 = train.read @self : tensor<?x4xf32, #nn.dims<batch, _>>
    %1 = nn.mul %0, %w : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<4xf32>
    train.write %1, @rows : tensor<?x4xf32, #nn.dims<batch, _>>
  }
}
