// The softmax that the model ends in says where the classes are.
// RUN: dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy --dlc-attach-loss 2>&1 | FileCheck %s --implicit-check-not='axis 1'
// RUN: not dlc-opt %s --dlc-recipe=set=loss=nll,class_axis=1 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK: train.input target @labels range[0, 6) ignore -100 class_axis 3 : tensor<?x4x5xi64, #nn.dims<batch, _, _>>
// CHECK: nn.reshape %{{.+}} : tensor<?x4x5x6xf32, #nn.dims<batch, _, _, _>> -> tensor<?x6xf32, #nn.dims<"20*batch", _>>
// OTHER: error: output 'y' float32 [batch, 4, 5, 6] is a softmax over axis 3, but loss 'nll' takes axis 1 for the classes
train.program @head {
  train.dim @batch = 8
  train.input @x : tensor<?x4x5x6xf32, #nn.dims<batch, _, _, _>>
  train.output prediction @y : tensor<?x4x5x6xf32, #nn.dims<batch, _, _, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x4x5x6xf32, #nn.dims<batch, _, _, _>>
    %y = nn.softmax %x axis 3 : tensor<?x4x5x6xf32, #nn.dims<batch, _, _, _>>
    train.write %y, @y : tensor<?x4x5x6xf32, #nn.dims<batch, _, _, _>>
  }
}
