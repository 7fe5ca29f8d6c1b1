// A convolution's channels are axis 1, also resized and with a bias: nothing to ask. Moved to the end they are asked for.
// RUN: dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy,prediction=resized --dlc-attach-loss 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy,prediction=grown --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=GROWN --implicit-check-not=warning
// RUN: dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy,prediction=moved --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=MOVED

// CHECK: class_axis 1 : tensor<2x8x4xi64>
// GROWN: class_axis 1 : tensor<2x9x5xi64>
// MOVED: warning: {{.*}}which axis of output 'moved' float32 [2, 4, 4, 3] holds the classes? Taken is axis 1, as in PyTorch: 4 classes, labels [2, 4, 3]. The other reading is axis 3, along which a layer's outputs lie: 3 classes, labels [2, 4, 4]
train.program @segments {
  train.state parameter @w : tensor<3x2x1x1xf32>
  train.state parameter @v : tensor<3x5x2x2xf32>
  train.state parameter @b : tensor<1x3x1x1xf32>
  train.input @x : tensor<2x2x4x4xf32>
  train.output prediction @resized : tensor<2x3x8x4xf32>
  train.output prediction @grown : tensor<2x5x9x5xf32>
  train.output prediction @moved : tensor<2x4x4x3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2x2x4x4xf32>
    %w = train.read @w : tensor<3x2x1x1xf32>
    %v = train.read @v : tensor<3x5x2x2xf32>
    %b = train.read @b : tensor<1x3x1x1xf32>
    %y = nn.conv %x, %w strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x2x4x4xf32>, tensor<3x2x1x1xf32>
    %s = nn.add %y, %b : tensor<2x3x4x4xf32>, tensor<1x3x1x1xf32>
    %r = nn.resample %s axis 2 taps 1 positions [0, 0, 1, 1, 2, 2, 3, 3] weights [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0] : tensor<2x3x4x4xf32>
    %g = nn.conv_transpose %r, %v size [9, 5] strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x3x8x4xf32>, tensor<3x5x2x2xf32>
    %m = nn.transpose %s [0, 2, 3, 1] : tensor<2x3x4x4xf32>
    train.write %r, @resized : tensor<2x3x8x4xf32>
    train.write %g, @grown : tensor<2x5x9x5xf32>
    train.write %m, @moved : tensor<2x4x4x3xf32>
  }
}
