// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK-LABEL: @conv
func.func @conv(%x: tensor<8x3x32x32xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<8x16x16x16xf32> {
  // CHECK: nn.conv %{{.*}}, %{{.*}} strides [2, 2] dilations [1, 1] low [1, 1] high [1, 1] groups 1 :
  %0 = nn.conv %x, %w strides [2, 2] dilations [1, 1] low [1, 1] high [1, 1] groups 1
      : tensor<8x3x32x32xf32>, tensor<16x3x3x3xf32>
  return %0 : tensor<8x16x16x16xf32>
}

// A named batch, groups, one spatial dim.
// CHECK-LABEL: @line
func.func @line(%x: tensor<?x6x10xf32, #nn.dims<batch, _, _>>, %w: tensor<4x3x3xf32>)
    -> tensor<?x4x7xf32, #nn.dims<batch, _, _>> {
  %0 = nn.conv %x, %w strides [1] dilations [2] low [0] high [1] groups 2
      : tensor<?x6x10xf32, #nn.dims<batch, _, _>>, tensor<4x3x3xf32>
  return %0 : tensor<?x4x7xf32, #nn.dims<batch, _, _>>
}

// Images of 31 and of 32 elements give 16 positions: the size says which is meant.
// CHECK-LABEL: @conv_transpose
func.func @conv_transpose(%dy: tensor<8x16x16x16xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<8x3x32x31xf32> {
  // CHECK: nn.conv_transpose %{{.*}}, %{{.*}} size [32, 31] strides [2, 2] dilations [1, 1] low [1, 1] high [1, 1] groups 1 :
  %0 = nn.conv_transpose %dy, %w size [32, 31] strides [2, 2] dilations [1, 1] low [1, 1] high [1, 1] groups 1
      : tensor<8x16x16x16xf32>, tensor<16x3x3x3xf32>
  return %0 : tensor<8x3x32x31xf32>
}

// CHECK-LABEL: @conv_weight_gradient
func.func @conv_weight_gradient(%x: tensor<?x4x5x6x7xf32, #nn.dims<batch, _, _, _, _>>,
                                %dy: tensor<?x2x4x5x6xf32, #nn.dims<batch, _, _, _, _>>) -> tensor<2x2x2x2x2xf32> {
  // CHECK: nn.conv_weight_gradient %{{.*}}, %{{.*}} kernel [2, 2, 2] strides [1, 1, 1] dilations [1, 1, 1] low [0, 0, 0] high [0, 0, 0] groups 2 :
  %0 = nn.conv_weight_gradient %x, %dy kernel [2, 2, 2] strides [1, 1, 1] dilations [1, 1, 1]
      low [0, 0, 0] high [0, 0, 0] groups 2
      : tensor<?x4x5x6x7xf32, #nn.dims<batch, _, _, _, _>>, tensor<?x2x4x5x6xf32, #nn.dims<batch, _, _, _, _>>
  return %0 : tensor<2x2x2x2x2xf32>
}

// CHECK-LABEL: @wide
func.func @wide(%x: tensor<1x2x5xbf16>, %w: tensor<3x2x3xbf16>, %dy: tensor<1x3x3xbf16>)
    -> (tensor<1x3x3xf32>, tensor<1x2x5xf32>, tensor<3x2x3xf32>) {
  // CHECK: nn.conv %{{.*}} groups 1 wide : tensor<1x2x5xbf16>, tensor<3x2x3xbf16>
  %0 = nn.conv %x, %w strides [1] dilations [1] low [0] high [0] groups 1 wide
     : tensor<1x2x5xbf16>, tensor<3x2x3xbf16>
  // CHECK: nn.conv_transpose %{{.*}} groups 1 wide :
  %1 = nn.conv_transpose %dy, %w size [5] strides [1] dilations [1] low [0] high [0] groups 1 wide
     : tensor<1x3x3xbf16>, tensor<3x2x3xbf16>
  // CHECK: nn.conv_weight_gradient %{{.*}} groups 1 wide :
  %2 = nn.conv_weight_gradient %x, %dy kernel [3] strides [1] dilations [1] low [0] high [0] groups 1 wide
     : tensor<1x2x5xbf16>, tensor<1x3x3xbf16>
  return %0, %1, %2 : tensor<1x3x3xf32>, tensor<1x2x5xf32>, tensor<3x2x3xf32>
}
