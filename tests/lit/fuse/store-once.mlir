// Behind a product, a mean squared error would store two tensors: squares for the sum, and the gradient. It stores the
// difference alone, which the sum squares, and the gradient is made of; a small one stores both as before, where all is near.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg \
// RUN:   --dlc-fuse="near-bytes=65536" --dlc-verify-fuse | FileCheck %s
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg \
// RUN:   --dlc-fuse --dlc-verify-fuse | FileCheck %s --check-prefix=NEAR

// CHECK-LABEL: train.function train_step
// CHECK: %[[DIFFERENCE:.*]] = train.launch @matmul_mse_loss({{.*}}) -> tensor<512x64xf32>
// CHECK: %[[SHAPED:.*]] = tensor.expand_shape %[[DIFFERENCE]]
// CHECK: %[[VIEW:.*]] = tensor.collapse_shape %[[SHAPED]]
// CHECK: train.launch @mse_loss(%[[VIEW]])
// CHECK-NEXT: train.launch @mul(%[[VIEW]])
// NEAR-LABEL: train.function train_step
// NEAR: train.launch @matmul_{{.*}}) -> (tensor<512x64xf32>, tensor<512x64xf32>)
train.program @p {
  train.input @x : tensor<4x128x64xf32>
  train.input target @t : tensor<4x128x64xf32>
  train.state parameter @v : tensor<64x64xf32> = dense<0.1>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<4x128x64xf32>
    %t = train.read @t : tensor<4x128x64xf32>
    %v = train.read @v : tensor<64x64xf32>
    %y = nn.matmul %x, %v : tensor<4x128x64xf32>, tensor<64x64xf32> loc("y")
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<4x128x64xf32>, tensor<4x128x64xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// A product of many matrices stays in one kernel with the product of its gradient, and with the update behind that:
// the kernel gives the squares and the new parameter.
// CHECK-LABEL: train.program @matrices
// CHECK-LABEL: train.function train_step
// CHECK: train.launch @matmul_mse_loss_mul_plain_sgd({{.*}}) -> (tensor<8x128x64xf32>, tensor<8x64x64xf32>)
// CHECK: train.function
train.program @matrices {
  train.input @x : tensor<8x128x64xf32>
  train.input target @t : tensor<8x128x64xf32>
  train.state parameter @v : tensor<8x64x64xf32> = dense<0.1>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x128x64xf32>
    %t = train.read @t : tensor<8x128x64xf32>
    %v = train.read @v : tensor<8x64x64xf32>
    %y = nn.matmul %x, %v : tensor<8x128x64xf32>, tensor<8x64x64xf32> loc("y")
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<8x128x64xf32>, tensor<8x128x64xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
