// What follows a max_unpool is computed of the windows, which are fewer than the elements of the image.
// RUN: dlc-opt %s --canonicalize | FileCheck %s

// What a max_pool sends back, where its image is more than 0: the same is asked of each window's largest element.
// CHECK-LABEL: func.func @unpooled
func.func @unpooled(%x: tensor<2x3x8x8xf32>, %d: tensor<2x3x4x4xf32>) -> tensor<2x3x8x8xf32> {
  // CHECK: %[[Y:.+]], %[[AT:.+]] = nn.max_pool %arg0
  // CHECK-NEXT: %[[C:.+]] = nn.compare gt %[[Y]], %{{.+}} : tensor<2x3x4x4xf32>
  // CHECK-NEXT: %[[KEPT:.+]] = nn.select %[[C]], %arg1, %{{.+}} : tensor<2x3x4x4xi1>
  // CHECK-NEXT: %[[DX:.+]] = nn.max_unpool %[[KEPT]], %[[AT]]
  // CHECK-NEXT: return %[[DX]]
  %zero = nn.constant dense<0.0> : tensor<f32>
  %y, %at = nn.max_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
      : tensor<2x3x8x8xf32>
  %dx = nn.max_unpool %d, %at sizes [8, 8] kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
      : tensor<2x3x4x4xf32>, tensor<2x3x4x4xi32>
  %c = nn.compare gt %x, %zero : tensor<2x3x8x8xf32>, tensor<f32>
  %r = nn.select %c, %dx, %zero : tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>, tensor<f32>
  return %r : tensor<2x3x8x8xf32>
}

// The same, asked the other way round: NaN, for which no comparison holds, is sent back.
// CHECK-LABEL: func.func @unpooled_otherwise
func.func @unpooled_otherwise(%x: tensor<2x3x8x8xf32>, %d: tensor<2x3x4x4xf32>) -> tensor<2x3x8x8xf32> {
  // CHECK: %[[Y:.+]], %[[AT:.+]] = nn.max_pool %arg0
  // CHECK-NEXT: %[[C:.+]] = nn.compare le %[[Y]], %[[ZERO:.+]] : tensor<2x3x4x4xf32>
  // CHECK-NEXT: %[[KEPT:.+]] = nn.select %[[C]], %[[ZERO]], %arg1 : tensor<2x3x4x4xi1>
  // CHECK-NEXT: %[[DX:.+]] = nn.max_unpool %[[KEPT]], %[[AT]]
  // CHECK-NEXT: return %[[DX]]
  %zero = nn.constant dense<0.0> : tensor<f32>
  %y, %at = nn.max_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
      : tensor<2x3x8x8xf32>
  %dx = nn.max_unpool %d, %at sizes [8, 8] kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
      : tensor<2x3x4x4xf32>, tensor<2x3x4x4xi32>
  %c = nn.compare le %x, %zero : tensor<2x3x8x8xf32>, tensor<f32>
  %r = nn.select %c, %zero, %dx : tensor<2x3x8x8xi1>, tensor<f32>, tensor<2x3x8x8xf32>
  return %r : tensor<2x3x8x8xf32>
}

// Where the windows are flattened, what comes back from there is asked before it is a plane again.
// CHECK-LABEL: func.func @flattened
func.func @flattened(%x: tensor<2x3x8x8xf32>, %d: tensor<2x48xf32>) -> (tensor<2x48xf32>, tensor<2x3x8x8xf32>) {
  // CHECK: %[[Y:.+]], %[[AT:.+]] = nn.max_pool %arg0
  // CHECK-NEXT: %[[FLAT:.+]] = nn.reshape %[[Y]]
  // CHECK-NEXT: %[[C:.+]] = nn.compare gt %[[FLAT]], %{{.+}} : tensor<2x48xf32>
  // CHECK-NEXT: %[[KEPT:.+]] = nn.select %[[C]], %arg1, %{{.+}} : tensor<2x48xi1>
  // CHECK-NEXT: %[[BACK:.+]] = nn.reshape %[[KEPT]]
  // CHECK-NEXT: nn.max_unpool %[[BACK]], %[[AT]]
  %zero = nn.constant dense<0.0> : tensor<f32>
  %y, %at = nn.max_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
      : tensor<2x3x8x8xf32>
  %flat = nn.reshape %y : tensor<2x3x4x4xf32> -> tensor<2x48xf32>
  %windows = nn.reshape %d : tensor<2x48xf32> -> tensor<2x3x4x4xf32>
  %dx = nn.max_unpool %windows, %at sizes [8, 8] kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0]
      dilations [1, 1] : tensor<2x3x4x4xf32>, tensor<2x3x4x4xi32>
  %c = nn.compare gt %x, %zero : tensor<2x3x8x8xf32>, tensor<f32>
  %r = nn.select %c, %dx, %zero : tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>, tensor<f32>
  return %flat, %r : tensor<2x48xf32>, tensor<2x3x8x8xf32>
}

// Another image is asked, or something else than nothing is chosen.
// CHECK-LABEL: func.func @others_unpooled
func.func @others_unpooled(%x: tensor<2x3x8x8xf32>, %z: tensor<2x3x8x8xf32>, %d: tensor<2x3x4x4xf32>)
    -> (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) {
  // CHECK-COUNT-2: nn.select {{.*}} : tensor<2x3x8x8xi1>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %y, %at = nn.max_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
      : tensor<2x3x8x8xf32>
  %a = nn.max_unpool %d, %at sizes [8, 8] kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
      : tensor<2x3x4x4xf32>, tensor<2x3x4x4xi32>
  %b = nn.max_unpool %y, %at sizes [8, 8] kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
      : tensor<2x3x4x4xf32>, tensor<2x3x4x4xi32>
  %cz = nn.compare gt %z, %zero : tensor<2x3x8x8xf32>, tensor<f32>
  %cx = nn.compare gt %x, %zero : tensor<2x3x8x8xf32>, tensor<f32>
  %r = nn.select %cz, %a, %zero : tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>, tensor<f32>
  %s = nn.select %cx, %b, %one : tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>, tensor<f32>
  return %r, %s : tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>
}

// The sum over whole planes is that of the windows; one along a line of the plane is not.
// CHECK-LABEL: func.func @summed
func.func @summed(%x: tensor<2x3x8x8xf32>, %d: tensor<2x3x4x4xf32>)
    -> (tensor<1x3x1x1xf32>, tensor<2x3xf32>, tensor<2x3x8xf32>) {
  // CHECK: nn.sum %arg1 axes [0, 2, 3] keepdims : tensor<2x3x4x4xf32>
  // CHECK: nn.sum %arg1 axes [2, 3] : tensor<2x3x4x4xf32>
  // CHECK: nn.sum %{{.+}} axes [3] : tensor<2x3x8x8xf32>
  %y, %at = nn.max_pool %x kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
      : tensor<2x3x8x8xf32>
  %dx = nn.max_unpool %d, %at sizes [8, 8] kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]
      : tensor<2x3x4x4xf32>, tensor<2x3x4x4xi32>
  %a = nn.sum %dx axes [0, 2, 3] keepdims : tensor<2x3x8x8xf32>
  %b = nn.sum %dx axes [2, 3] : tensor<2x3x8x8xf32>
  %c = nn.sum %dx axes [3] : tensor<2x3x8x8xf32>
  return %a, %b, %c : tensor<1x3x1x1xf32>, tensor<2x3xf32>, tensor<2x3x8xf32>
}
