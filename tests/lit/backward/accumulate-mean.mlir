// Gradients that are averaged are counted, and apply divides by their number. A training step has one batch.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward="average" --dlc-verify-backward | FileCheck %s
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward | FileCheck %s --check-prefix=SUM

// SUM-NOT: accumulated_batches
// CHECK: train.state gradient @accumulated_batches : tensor<f64>
// CHECK-LABEL: train_step @train_step
// CHECK-NOT: accumulated_batches
// CHECK-LABEL: function grad_step
// CHECK: %[[ONE:.+]] = nn.constant dense<1.000000e+00> : tensor<f64>
// CHECK: train.write %[[ONE]], @accumulated_batches
// CHECK-LABEL: function accumulate
// CHECK: %[[BEFORE:.+]] = train.read @accumulated_batches
// CHECK: %[[MORE:.+]] = nn.add %[[BEFORE]]
// CHECK: train.write %[[MORE]], @accumulated_batches
// CHECK-LABEL: function apply
// CHECK: %[[COUNT:.+]] = train.read @accumulated_batches
// CHECK: %[[AT_LEAST:.+]] = nn.max %[[COUNT]]
// CHECK: %[[PART:.+]] = nn.div %{{.*}}, %[[AT_LEAST]]
// CHECK: %[[CAST:.+]] = nn.cast %[[PART]]
// CHECK: %[[MEAN:.+]] = nn.mul %{{.*}}, %[[CAST]] : tensor<3x2xf32>
// CHECK: train.gradient %[[MEAN]], @fc.w
train.program @linear {
  train.state parameter @fc.w : tensor<3x2xf32>
  train.state parameter @fc.b : tensor<2xf32>
  train.input @x : tensor<8x3xf32>
  train.input target @target : tensor<8x2xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x3xf32>
    %w = train.read @fc.w : tensor<3x2xf32>
    %b = train.read @fc.b : tensor<2xf32>
    %z = nn.matmul %x, %w : tensor<8x3xf32>, tensor<3x2xf32>
    %y = nn.add %z, %b : tensor<8x2xf32>, tensor<2xf32>
    %target = train.read @target : tensor<8x2xf32>
    %loss, %weight = nn.mse_loss mean %y, %target : tensor<8x2xf32>, tensor<8x2xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
