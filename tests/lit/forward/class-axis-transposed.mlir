// A linear layer's outputs moved to axis 1 are PyTorch's form: nothing to ask. A named axis cannot hold the classes.
// RUN: dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy,prediction=moved --dlc-attach-loss 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: not dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy,prediction=named --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=NAMED

// CHECK: class_axis 1 : tensor<?x?xi64, #nn.dims<batch, seq>>
// NAMED: error: loss 'softmax-cross-entropy' needs a prediction [rows, classes] or [rows, classes, ...] with a fixed number of classes, but output 'named' is float32 [batch, seq, 65]; if its last axis holds the classes, give --class-axis=2
train.program @moved {
  train.dim @batch = 8
  train.dim @seq = 64
  train.state parameter @w : tensor<16x65xf32>
  train.input @x : tensor<?x?x16xf32, #nn.dims<batch, seq, _>>
  train.output prediction @named : tensor<?x?x65xf32, #nn.dims<batch, seq, _>>
  train.output prediction @moved : tensor<?x65x?xf32, #nn.dims<batch, _, seq>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x?x16xf32, #nn.dims<batch, seq, _>>
    %w = train.read @w : tensor<16x65xf32>
    %y = nn.matmul %x, %w : tensor<?x?x16xf32, #nn.dims<batch, seq, _>>, tensor<16x65xf32>
    %t = nn.transpose %y [0, 2, 1] : tensor<?x?x65xf32, #nn.dims<batch, seq, _>>
    train.write %y, @named : tensor<?x?x65xf32, #nn.dims<batch, seq, _>>
    train.write %t, @moved : tensor<?x65x?xf32, #nn.dims<batch, _, seq>>
  }
}
