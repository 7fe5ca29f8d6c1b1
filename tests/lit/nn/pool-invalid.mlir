// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @rank(%x: tensor<2x3xf32>) {
  // nn.sum_pool C1
  // expected-error@+1 {{'nn.sum_pool' op expects images of rank 3 or more (batch, channels, spatial dims), got rank 2}}
  %y = nn.sum_pool %x kernel [] strides [] low [] high [] dilations [] : tensor<2x3xf32>
  return
}

// -----

func.func @lengths(%x: tensor<2x3x4x5xf32>) {
  // nn.sum_pool C2
  // expected-error@+1 {{'nn.sum_pool' op expects 2 strides, one per spatial dim, got 1}}
  %y = nn.sum_pool %x kernel [2, 2] strides [2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @no_kernel(%x: tensor<2x3x4x5xf32>) {
  // nn.sum_pool C4
  // expected-error@+1 {{'nn.sum_pool' op expects a kernel size in [1, 16777216] for spatial dim 1, got 0}}
  %y = nn.sum_pool %x kernel [2, 0] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @max_of_nothing(%x: tensor<2x3x4x5xf32>) {
  // nn.max_pool C4
  // expected-error@+1 {{'nn.max_pool' op expects a kernel size in [1, 16777216] for spatial dim 0, got 0}}
  %y, %p = nn.max_pool %x kernel [0, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @no_stride(%x: tensor<2x3x4x5xf32>) {
  // nn.sum_pool C5
  // expected-error@+1 {{'nn.sum_pool' op expects a stride in [1, 16777216] for spatial dim 0, got 0}}
  %y = nn.sum_pool %x kernel [2, 2] strides [0, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @no_dilation(%x: tensor<2x3x4x5xf32>) {
  // nn.sum_pool C6
  // expected-error@+1 {{'nn.sum_pool' op expects a dilation in [1, 16777216] for spatial dim 0, got -1}}
  %y = nn.sum_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [-1, 1] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @negative_padding(%x: tensor<2x3x4x5xf32>) {
  // nn.sum_pool C7
  // expected-error@+1 {{'nn.sum_pool' op expects low padding in [0, 16777216] for spatial dim 1, got -1}}
  %y = nn.sum_pool %x kernel [2, 2] strides [2, 2] low [0, -1] high [0, 0] dilations [1, 1] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @absurd_padding(%x: tensor<2x3x4x5xf32>) {
  // nn.sum_pool C8
  // expected-error@+1 {{'nn.sum_pool' op expects high padding in [0, 16777216] for spatial dim 1, got 99999999999}}
  %y = nn.sum_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 99999999999] dilations [1, 1] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @too_large(%x: tensor<2x3x4x5xf32>) {
  // nn.sum_pool C10
  // expected-error@+1 {{'nn.sum_pool' op expects windows that fit the image and its padding: along spatial dim 0 a window spans 7 positions, image and padding have 6}}
  %y = nn.sum_pool %x kernel [4, 2] strides [2, 2] low [1, 0] high [1, 0] dilations [2, 1] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @wholly_in_padding(%x: tensor<2x3x4x5xf32>) {
  // nn.sum_pool C11
  // expected-error@+1 {{'nn.sum_pool' op expects windows that cover a position of the image: along spatial dim 1 window 3 of 4 lies wholly in padding (kernel 2, stride 2, padding 0 and 3, dilation 1, image size 5)}}
  %y = nn.sum_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 3] dilations [1, 1] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @around_the_image(%x: tensor<2x3x4x5xf32>) {
  // nn.sum_pool C11
  // expected-error@+1 {{'nn.sum_pool' op expects windows that cover a position of the image: along spatial dim 0 window 0 of 2 lies wholly in padding (kernel 2, stride 1, padding 2 and 5, dilation 9, image size 4)}}
  %y = nn.sum_pool %x kernel [2, 2] strides [1, 2] low [2, 0] high [5, 0] dilations [9, 1] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @no_positions(%x: tensor<2x3x0x5xf32>) {
  // nn.sum_pool C9
  // expected-error@+1 {{'nn.sum_pool' op expects an image size in [1, 2147483647] for spatial dim 0, got 0}}
  %y = nn.sum_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x3x0x5xf32>
  return
}

// -----

func.func @open(%x: tensor<2x3x4x?xf32, #nn.dims<_, _, _, width>>) {
  // nn.sum_pool C3
  // expected-error@+1 {{'nn.sum_pool' op expects spatial dims of static size, got width for spatial dim 1}}
  %y = nn.sum_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x3x4x?xf32, #nn.dims<_, _, _, width>>
  return
}

// -----

func.func @plane(%x: tensor<1x1x65536x65536xf32>) {
  // nn.sum_pool C13
  // expected-error@+1 {{'nn.sum_pool' op expects at most 2147483647 positions in the spatial dims of an image, got 4294967296}}
  %y = nn.sum_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<1x1x65536x65536xf32>
  return
}

// -----

func.func @padded(%x: tensor<2x3x4x5xf32>) {
  // nn.sum_pool C12
  // expected-error@+1 {{'nn.sum_pool' op expects images that are not too large with their padding, got [2, 3, 16777220, 16777221]}}
  %y = nn.sum_pool %x kernel [16777216, 16777216] strides [2, 2] low [16777215, 16777215] high [1, 1] dilations [1, 1] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @sizes(%y: tensor<2x3x2x2xf32>) {
  // nn.sum_unpool C14
  // expected-error@+1 {{'nn.sum_unpool' op expects one size per spatial dim, got 1 for windows of shape [2, 3, 2, 2]}}
  %x = nn.sum_unpool %y sizes [4] kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x3x2x2xf32>
  return
}

// -----

func.func @windows(%y: tensor<2x3x2x2xf32>) {
  // nn.sum_unpool C15
  // expected-error@+1 {{'nn.sum_unpool' op expects windows of shape [2, 3, 2, 3], got [2, 3, 2, 2]}}
  %x = nn.sum_unpool %y sizes [4, 6] kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x3x2x2xf32>
  return
}

// -----

func.func @positions(%y: tensor<2x3x2x2xf32>, %p: tensor<2x3x4xi32>) {
  // nn.max_unpool C16
  // expected-error@+1 {{'nn.max_unpool' op expects positions of shape [2, 3, 2, 2], got [2, 3, 4]}}
  %x = nn.max_unpool %y, %p sizes [4, 4] kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x3x2x2xf32>, tensor<2x3x4xi32>
  return
}

// -----

func.func @axis(%x: tensor<2x3xf32>) {
  // nn.resample C1
  // expected-error@+1 {{'nn.resample' op expects an axis in [0, 2), got 2}}
  %y = nn.resample %x axis 2 taps 1 positions [0] weights [1.0] : tensor<2x3xf32>
  return
}

// -----

func.func @named_axis(%x: tensor<?x3xf32, #nn.dims<batch, _>>) {
  // nn.resample C2
  // expected-error@+1 {{'nn.resample' op expects a static size along axis 0, got batch}}
  %y = nn.resample %x axis 0 taps 1 positions [0] weights [1.0] : tensor<?x3xf32, #nn.dims<batch, _>>
  return
}

// -----

func.func @taps(%x: tensor<2x3xf32>) {
  // nn.resample C3
  // expected-error@+1 {{'nn.resample' op expects 1 to 1048576 taps, and a position and a weight for each of them and each element of the result, got 2 taps, 3 positions and 3 weights}}
  %y = nn.resample %x axis 1 taps 2 positions [0, 1, 2] weights [1.0, 1.0, 1.0] : tensor<2x3xf32>
  return
}

// -----

func.func @many_taps(%x: tensor<2x3xf32>) {
  // nn.resample C3
  // expected-error@+1 {{'nn.resample' op expects 1 to 1048576 taps, and a position and a weight for each of them and each element of the result, got 100000000000 taps, 0 positions and 0 weights}}
  %y = nn.resample %x axis 1 taps 100000000000 positions [] weights [] : tensor<2x3xf32>
  return
}

// -----

func.func @outside(%x: tensor<2x3xf32>) {
  // nn.resample C4
  // expected-error@+1 {{'nn.resample' op expects positions in [0, 3), got 3}}
  %y = nn.resample %x axis 1 taps 1 positions [3] weights [1.0] : tensor<2x3xf32>
  return
}

// -----

func.func @infinite(%x: tensor<2x3xf32>) {
  // nn.resample C5
  // expected-error@+1 {{'nn.resample' op expects finite weights, got inf}}
  %y = nn.resample %x axis 1 taps 1 positions [2] weights [0x7FF0000000000000] : tensor<2x3xf32>
  return
}
