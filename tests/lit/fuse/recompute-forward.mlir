// What a price buys. Of x, two products: the first one is cheap to make again (its inner dim is 8), the second is not.
// Between them stands an exponential, which the gradient of the second product's weight reads.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-recompute-forward=price=0 \
// RUN:   | FileCheck %s --check-prefix=KEEP
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-recompute-forward=price=256 \
// RUN:   | FileCheck %s --check-prefix=AGAIN
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-recompute-forward=price=256 --dlc-fuse \
// RUN:   --dlc-verify-fuse | FileCheck %s --check-prefix=KERNELS

// KEEP-LABEL: train.function train_step
// KEEP-NOT: recomputed
// KEEP-COUNT-1: math.exp
// KEEP-NOT: math.exp
// KEEP: train.function grad_step

// The copy reads x through a view, and stands behind the loss.
// AGAIN-LABEL: train.function train_step
// AGAIN-SAME: recomputed = #train.recomputed<{{[0-9]+}}, ["p", "e"]>
// AGAIN: %[[X:.*]] = train.read @x
// AGAIN: math.exp
// AGAIN: %[[VIEW:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1]] : tensor<64x8xf32> into tensor<64x8xf32>
// AGAIN: linalg.generic {doc = "matmul"{{.*}}ins(%[[VIEW]]
// AGAIN: math.exp
// AGAIN: train.function grad_step

// KERNELS-LABEL: train.function train_step
// KERNELS: train.launch @[[FIRST:matmul_exp.*]](%
// KERNELS: train.launch @{{.*}}mse_loss
// KERNELS: train.launch @matmul_exp
train.program @p {
  train.input @x : tensor<64x8xf32>
  train.input target @t : tensor<64x64xf32>
  train.state parameter @w : tensor<8x2048xf32> = dense<0.1>
  train.state parameter @v : tensor<2048x64xf32> = dense<0.1>
  train.output prediction @y : tensor<64x64xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x8xf32>
    %t = train.read @t : tensor<64x64xf32>
    %w = train.read @w : tensor<8x2048xf32>
    %v = train.read @v : tensor<2048x64xf32>
    %p = nn.matmul %x, %w : tensor<64x8xf32>, tensor<8x2048xf32> loc("p")
    %e = nn.exp %p : tensor<64x2048xf32> loc("e")
    %y = nn.matmul %e, %v : tensor<64x2048xf32>, tensor<2048x64xf32> loc("y")
    train.write %y, @y : tensor<64x64xf32>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<64x64xf32>, tensor<64x64xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
