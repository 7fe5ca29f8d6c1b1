// Convolutions of many channels, trained: the gradients of what they read are products in the largest tiles, whose
// operands both lie along steps, which go through channels and windows.
train.program @convolutions {
  train.input @x : tensor<32x512x4x4xf32>
  train.state parameter @first : tensor<512x512x3x3xf32> = dense<0.5>
  train.state parameter @second : tensor<512x512x3x3xf32> = dense<0.5>
  train.output prediction @y : tensor<32x512x4x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<32x512x4x4xf32>
    %first = train.read @first : tensor<512x512x3x3xf32>
    %second = train.read @second : tensor<512x512x3x3xf32>
    %0 = nn.conv %x, %first strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<32x512x4x4xf32>, tensor<512x512x3x3xf32>
    %1 = nn.relu %0 : tensor<32x512x4x4xf32>
    %y = nn.conv %1, %second strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<32x512x4x4xf32>, tensor<512x512x3x3xf32>
    train.write %y, @y : tensor<32x512x4x4xf32>
  }
}
