// What is made again for the gradient of a weight alone is written in the panels that this product reads, a few columns
// of 512 rows at a time. With a bias, a product and a kernel of its own make it: the product then writes panels, too, so
// that the GELU can be written where it lay. A loss stores the difference once: the sum and the gradient read it.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg \
// RUN:   --dlc-recompute-forward=near-bytes=65536 --dlc-fuse="near-bytes=65536 panel-width=32" --dlc-verify-fuse \
// RUN:   | FileCheck %s
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg \
// RUN:   --dlc-recompute-forward=near-bytes=65536 --dlc-fuse="near-bytes=65536" \
// RUN:   | FileCheck %s --check-prefix=ROWS

// CHECK-LABEL: train.function train_step
// CHECK: %[[BOTH:.*]]:2 = train.launch @matmul_mul_add({{.*}}) -> (tensor<16x512x32xf32>, tensor<512x512xf32>)
// CHECK: %[[PANELS:.*]] = tensor.collapse_shape %{{.*}} {{.*}} into tensor<16x512x32xf32>
// CHECK: train.launch @matmul_plain_sgd(%[[PANELS]],
// ROWS-LABEL: train.function train_step
// ROWS: train.launch @matmul_mul_add({{.*}}) -> (tensor<512x512xf32>, tensor<512x512xf32>)
train.program @p {
  train.input @x : tensor<4x128x64xf32>
  train.input target @t : tensor<4x128x64xf32>
  train.state parameter @w : tensor<64x512xf32> = dense<0.1>
  train.state parameter @v : tensor<512x64xf32> = dense<0.1>
  train.output prediction @y : tensor<4x128x64xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<4x128x64xf32>
    %t = train.read @t : tensor<4x128x64xf32>
    %w = train.read @w : tensor<64x512xf32>
    %v = train.read @v : tensor<512x64xf32>
    %p = nn.matmul %x, %w : tensor<4x128x64xf32>, tensor<64x512xf32> loc("p")
    %s = nn.mul %p, %p : tensor<4x128x512xf32>, tensor<4x128x512xf32> loc("s")
    %y = nn.matmul %s, %v : tensor<4x128x512xf32>, tensor<512x64xf32> loc("y")
    train.write %y, @y : tensor<4x128x64xf32>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<4x128x64xf32>, tensor<4x128x64xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.function train_step
// CHECK: %[[GRADIENT:.*]] = train.launch @matmul({{.*}}) -> tensor<16x512x32xf32>
// CHECK: train.launch @add_gelu_mul_exp({{.*}}) -> (tensor<16x512x32xf32>, tensor<512x512xf32>)
// ROWS-LABEL: train.function train_step
// ROWS: train.launch @matmul({{.*}}) -> tensor<512x512xf32>
train.program @p {
  train.input @x : tensor<4x128x64xf32>
  train.input target @t : tensor<4x128x64xf32>
  train.state parameter @w : tensor<64x512xf32> = dense<0.1>
  train.state parameter @b : tensor<512xf32> = dense<0.1>
  train.state parameter @v : tensor<512x64xf32> = dense<0.1>
  train.output prediction @y : tensor<4x128x64xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<4x128x64xf32>
    %t = train.read @t : tensor<4x128x64xf32>
    %w = train.read @w : tensor<64x512xf32>
    %b = train.read @b : tensor<512xf32>
    %v = train.read @v : tensor<512x64xf32>
    %p = nn.matmul %x, %w : tensor<4x128x64xf32>, tensor<64x512xf32> loc("p")
    %a = nn.add %p, %b : tensor<4x128x512xf32>, tensor<512xf32> loc("a")
    %s = nn.gelu %a : tensor<4x128x512xf32> loc("s")
    %y = nn.matmul %s, %v : tensor<4x128x512xf32>, tensor<512x64xf32> loc("y")
    train.write %y, @y : tensor<4x128x64xf32>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<4x128x64xf32>, tensor<4x128x64xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
