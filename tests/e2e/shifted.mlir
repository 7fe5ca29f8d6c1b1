// The table's rows are chosen by ids + 1, which no caller passes: only the program itself can check it.
train.program @shifted {
  train.dim @batch = 4
  train.input @ids : tensor<?xi64, #nn.dims<batch>>
  train.state parameter @table : tensor<8x3xf32> = dense<0.5>
  train.output prediction @rows : tensor<?x3xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %ids = train.read @ids : tensor<?xi64, #nn.dims<batch>>
    %table = train.read @table : tensor<8x3xf32>
    %one = nn.constant dense<1> : tensor<i64>
    %next = nn.add %ids, %one : tensor<?xi64, #nn.dims<batch>>, tensor<i64>
    %rows = nn.gather %table, %next axis 0 : tensor<8x3xf32>, tensor<?xi64, #nn.dims<batch>> loc("embed")
    train.write %rows, @rows : tensor<?x3xf32, #nn.dims<batch, _>>
  }
}
