// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @rank(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) {
  // nn.conv C2
  // expected-error@+1 {{'nn.conv' op expects operands of the same rank, 3, 4 or 5, for one to three spatial dims, got x of shape [2, 3] and w of shape [4, 3]}}
  %0 = nn.conv %a, %b strides [] dilations [] low [] high [] groups 1 : tensor<2x3xf32>, tensor<4x3xf32>
  return
}

// -----

func.func @ranks(%a: tensor<2x3x8x8xf32>, %b: tensor<4x3x3xf32>) {
  // nn.conv C2
  // expected-error@+1 {{'nn.conv' op expects operands of the same rank, 3, 4 or 5, for one to three spatial dims, got x of shape [2, 3, 8, 8] and w of shape [4, 3, 3]}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x3x8x8xf32>, tensor<4x3x3xf32>
  return
}

// -----

func.func @dtype(%a: tensor<2x3x8x8xf32>, %b: tensor<4x3x3x3xf64>) {
  // nn.conv C1
  // expected-error@+1 {{'nn.conv' op expects operands of one dtype, got 'f32' and 'f64'}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf64>
  return
}

// -----

func.func @open_image(%a: tensor<2x3x?x8xf32, #nn.dims<_, _, height, _>>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv C3
  // expected-error@+1 {{'nn.conv' op expects channels and spatial dims of static size, got dim 2 of x of size height}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x3x?x8xf32, #nn.dims<_, _, height, _>>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @strides(%a: tensor<2x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv C4
  // expected-error@+1 {{'nn.conv' op expects 2 strides, one per spatial dim, got 1}}
  %0 = nn.conv %a, %b strides [1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @stride(%a: tensor<2x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv C4
  // expected-error@+1 {{'nn.conv' op expects strides of at least 1, got 0 for spatial dim 1}}
  %0 = nn.conv %a, %b strides [1, 0] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @dilation(%a: tensor<2x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv C5
  // expected-error@+1 {{'nn.conv' op expects dilations of at least 1, got -1 for spatial dim 0}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [-1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @padding_before(%a: tensor<2x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv C6
  // expected-error@+1 {{'nn.conv' op expects counts of padding (low) of at least 0, got -1 for spatial dim 0}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [1, 1] low [-1, 0] high [0, 0] groups 1 : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @padding(%a: tensor<2x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv C7
  // expected-error@+1 {{'nn.conv' op expects counts of padding (high) of at least 0, got -2 for spatial dim 1}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [1, 1] low [0, 0] high [0, -2] groups 1 : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @open_features(%a: tensor<2x3x8x8xf32>, %b: tensor<?x3x3x3xf32, #nn.dims<features, _, _, _>>) {
  // nn.conv C13
  // expected-error@+1 {{'nn.conv' op expects output channels of static size, got features}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x3x8x8xf32>, tensor<?x3x3x3xf32, #nn.dims<features, _, _, _>>
  return
}

// -----

func.func @no_groups(%a: tensor<2x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv C8
  // expected-error@+1 {{'nn.conv' op expects a number of groups that divides the channels, got 0 groups of 3 channels of the image and 4 of the result}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 0 : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @groups(%a: tensor<2x3x8x8xf32>, %b: tensor<4x1x3x3xf32>) {
  // nn.conv C8
  // expected-error@+1 {{'nn.conv' op expects a number of groups that divides the channels, got 3 groups of 3 channels of the image and 4 of the result}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 3 : tensor<2x3x8x8xf32>, tensor<4x1x3x3xf32>
  return
}

// -----

func.func @channels(%a: tensor<2x3x8x8xf32>, %b: tensor<4x2x3x3xf32>) {
  // nn.conv C14
  // expected-error@+1 {{'nn.conv' op expects a weight for 3 input channels (the image has 3, in 1 group), got a weight of shape [4, 2, 3, 3]}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x3x8x8xf32>, tensor<4x2x3x3xf32>
  return
}

// -----

func.func @channels_of_group(%a: tensor<2x6x8x8xf32>, %b: tensor<3x6x3x3xf32>) {
  // nn.conv C14
  // expected-error@+1 {{'nn.conv' op expects a weight for 2 input channels (the image has 6, in 3 groups), got a weight of shape [3, 6, 3, 3]}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 3 : tensor<2x6x8x8xf32>, tensor<3x6x3x3xf32>
  return
}

// -----

func.func @kernel(%a: tensor<2x3x8x8xf32>, %b: tensor<4x3x3x0xf32>) {
  // nn.conv C9
  // expected-error@+1 {{'nn.conv' op expects a kernel of at least 1 element, got 0 along spatial dim 1}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x3x8x8xf32>, tensor<4x3x3x0xf32>
  return
}

// -----

func.func @window(%a: tensor<2x3x2x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv C10
  // expected-error@+1 {{'nn.conv' op expects a window that fits into the padded image, got a window of 5 (kernel 3, dilation 2) and an image of 4 (2 and padding of 1 and 1) along spatial dim 0}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [2, 1] low [1, 0] high [1, 0] groups 1 : tensor<2x3x2x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @huge_window(%a: tensor<2x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv C10
  // expected-error@+1 {{'nn.conv' op expects a window that fits into the padded image, got a window of 9223372036854775807 (kernel 3, dilation 9223372036854775807) and an image of 8 (8 and padding of 0 and 0) along spatial dim 0}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [9223372036854775807, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @huge_padding(%a: tensor<2x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv C11
  // expected-error@+1 {{'nn.conv' op needs tensors that are too large: images up to [2, 4, 4294967312, 16] with their padding, weights up to [3, 4, 4, 4] with dilation and stride}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [1, 1] low [4294967296, 0] high [0, 0] groups 1 : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @wide(%a: tensor<2x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv C12
  // expected-error@+1 {{'nn.conv' op expects operands of fewer bits than 'f32' for wide sums, got 'f32'}}
  %0 = nn.conv %a, %b strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 wide : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @transposed_channels(%a: tensor<2x5x6x6xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv_transpose C14
  // expected-error@+1 {{'nn.conv_transpose' op expects a weight for the 5 channels of dy, got a weight of shape [4, 3, 3, 3]}}
  %0 = nn.conv_transpose %a, %b size [8, 8] strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x5x6x6xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @transposed_size(%a: tensor<2x4x6x6xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv_transpose C15
  // expected-error@+1 {{'nn.conv_transpose' op expects dy of shape [2, 4, 7, 6], got [2, 4, 6, 6]}}
  %0 = nn.conv_transpose %a, %b size [9, 8] strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @transposed_empty(%a: tensor<2x4x6x6xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv_transpose C13
  // expected-error@+1 {{'nn.conv_transpose' op expects sizes of the result of at least 1, got 0 for spatial dim 0}}
  %0 = nn.conv_transpose %a, %b size [0, 8] strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @transposed_window(%a: tensor<2x4x6x6xf32>, %b: tensor<4x3x3x3xf32>) {
  // nn.conv_transpose C10
  // expected-error@+1 {{'nn.conv_transpose' op expects a window that fits into the padded image, got a window of 3 (kernel 3, dilation 1) and an image of 2 (2 and padding of 0 and 0) along spatial dim 1}}
  %0 = nn.conv_transpose %a, %b size [8, 2] strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @gradient_kernel(%a: tensor<2x3x8x8xf32>, %b: tensor<2x4x6x6xf32>) {
  // nn.conv_weight_gradient C13
  // expected-error@+1 {{'nn.conv_weight_gradient' op expects 2 sizes of the kernel, one per spatial dim, got 1}}
  %0 = nn.conv_weight_gradient %a, %b kernel [3] strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x3x8x8xf32>, tensor<2x4x6x6xf32>
  return
}

// -----

func.func @gradient_batch(%a: tensor<2x3x8x8xf32>, %b: tensor<1x4x6x6xf32>) {
  // nn.conv_weight_gradient C14
  // expected-error@+1 {{'nn.conv_weight_gradient' op expects dy of shape [2, 4, 6, 6], got [1, 4, 6, 6]}}
  %0 = nn.conv_weight_gradient %a, %b kernel [3, 3] strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<2x3x8x8xf32>, tensor<1x4x6x6xf32>
  return
}

// -----

func.func @gradient_groups(%a: tensor<2x3x8x8xf32>, %b: tensor<2x4x6x6xf32>) {
  // nn.conv_weight_gradient C8
  // expected-error@+1 {{'nn.conv_weight_gradient' op expects a number of groups that divides the channels, got 2 groups of 3 channels of the image and 4 of the result}}
  %0 = nn.conv_weight_gradient %a, %b kernel [3, 3] strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 2 : tensor<2x3x8x8xf32>, tensor<2x4x6x6xf32>
  return
}
