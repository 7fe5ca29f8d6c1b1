// The exponentials that a loss sums up and its gradient divides are computed by both where storing them would cost
// more: here where the cache is small. Then only the scores and their gradient are large tensors.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-fuse=near-bytes=1024 --dlc-verify-fuse \
// RUN:   | FileCheck %s --check-prefixes=BOTH,TWICE
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-fuse=near-bytes=65536 --dlc-verify-fuse \
// RUN:   | FileCheck %s --check-prefixes=BOTH,ONCE
// What a product's kernel makes stays there: its stores are done while it multiplies.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-fuse=near-bytes=1024 \
// RUN:   | FileCheck %s --check-prefix=PRODUCT

// BOTH-LABEL: train.function grad_step
// TWICE: train.launch @softmax_cross_entropy_softmax{{.*}} -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
// ONCE: train.launch @softmax_cross_entropy_softmax{{.*}} -> (tensor<64x32xf32>, tensor<64xf32>, tensor<64xf32>)
train.program @p {
  train.input @x : tensor<64x32xf32>
  train.input target @labels : tensor<64xi64>
  train.output prediction @dx : tensor<64x32xf32>
  train.output loss @loss : tensor<f32>
  train.function grad_step @grad_step {
    %zero = nn.constant dense<0.0> : tensor<f32>
    %one = nn.constant dense<1.0> : tensor<f32>
    %x = train.read @x : tensor<64x32xf32>
    %labels = train.read @labels : tensor<64xi64>
    %loss, %weight = nn.softmax_cross_entropy sum %x, %labels ignore_index -100 : tensor<64x32xf32>, tensor<64xi64>
    %s = nn.softmax %x axis 1 : tensor<64x32xf32>
    %rows = nn.reshape %labels : tensor<64xi64> -> tensor<64x1xi64>
    %i = nn.iota axis 0 : tensor<32xi64>
    %is = nn.compare eq %rows, %i : tensor<64x1xi64>, tensor<32xi64>
    %picked = nn.select %is, %one, %zero : tensor<64x32xi1>, tensor<f32>, tensor<f32>
    %dx = nn.sub %s, %picked : tensor<64x32xf32>, tensor<64x32xf32>
    %scaled = nn.mul %dx, %loss : tensor<64x32xf32>, tensor<f32>
    train.write %loss, @loss : tensor<f32>
    train.write %scaled, @dx : tensor<64x32xf32>
  }
}
// PRODUCT-LABEL: train.program @q
// PRODUCT: train.launch @matmul_exp{{.*}} -> (tensor<64x32xf32>, tensor<64x32xf32>)
train.program @q {
  train.input @x : tensor<64x32xf32>
  train.state parameter @w : tensor<32x32xf32> = dense<1.0>
  train.output prediction @y : tensor<64x32xf32>
  train.output prediction @z : tensor<64xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<64x32xf32>
    %w = train.read @w : tensor<32x32xf32>
    %p = nn.matmul %x, %w : tensor<64x32xf32>, tensor<32x32xf32>
    %e = nn.exp %p : tensor<64x32xf32>
    %s = nn.mul %e, %e : tensor<64x32xf32>, tensor<64x32xf32>
    %t = nn.relu %s : tensor<64x32xf32>
    %row = nn.sum %e axes [1] : tensor<64x32xf32>
    train.write %t, @y : tensor<64x32xf32>
    train.write %row, @z : tensor<64xf32>
  }
}
