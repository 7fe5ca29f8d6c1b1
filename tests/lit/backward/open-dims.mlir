// Where a dim is open, training exists twice: for the bounds, and for any size of the open dims. The latter counts
// what a mean divides by, and keeps no size of an open dim; dims that are not open have their bounds.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-verify-backward | FileCheck %s

// CHECK: train.dim open @batch = 8
// CHECK: train.dim open @seq = 6
// CHECK-LABEL: train_step @train_step
// CHECK-NOT: nn.dims
// CHECK-LABEL: grad_step @grad_step
// CHECK-NOT: nn.dims
// CHECK-LABEL: accumulate @accumulate
// CHECK-NOT: nn.dims
// CHECK-LABEL: apply @apply
// CHECK-NOT: nn.dims
// CHECK-LABEL: train_step_n @train_step_n
// CHECK: %[[X:.+]] = train.read @x : tensor<?x?x3xf32, #nn.dims<batch, seq, _>>
// CHECK: nn.mse_loss {{ ?}}mean {{.+}} : tensor<?x?x5xf32, #nn.dims<batch, seq, _>>
// CHECK: %[[G:.+]] = train.gradient {{.+}}, @w : tensor<5x3xf32>
// CHECK: train.plain_sgd
// CHECK-LABEL: grad_step_n @grad_step_n
// CHECK: train.write {{.+}}, @w.grad
// CHECK-LABEL: accumulate_n @accumulate_n
// CHECK: train.read @w.grad
// CHECK-LABEL: eval_step @eval_step
// CHECK-LABEL: predict @predict

train.program @open {
  train.dim open @batch = 8
  train.dim open @seq = 6
  train.state parameter @w : tensor<5x3xf32>
  train.input @x : tensor<?x?x3xf32, #nn.dims<batch, seq, _>>
  train.input target @t : tensor<?x?x5xf32, #nn.dims<batch, seq, _>>
  train.output prediction @y : tensor<?x?x5xf32, #nn.dims<batch, seq, _>>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<?x?x3xf32, #nn.dims<batch, seq, _>>
    %w = train.read @w : tensor<5x3xf32>
    %y = nn.matmul %x, %w transpose_b : tensor<?x?x3xf32, #nn.dims<batch, seq, _>>, tensor<5x3xf32>
    %t = train.read @t : tensor<?x?x5xf32, #nn.dims<batch, seq, _>>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<?x?x5xf32, #nn.dims<batch, seq, _>>, tensor<?x?x5xf32, #nn.dims<batch, seq, _>>
    train.write %y, @y : tensor<?x?x5xf32, #nn.dims<batch, seq, _>>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
