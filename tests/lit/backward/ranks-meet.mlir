// Where samples meet in sums, ranks add up: behind each of them stands the sum over all ranks, whose gradient is one, too.
// Means divide by the rows of all.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-verify-backward | FileCheck %s
// RUN: dlc compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward | dlc-opt | FileCheck %s --check-prefix=AGAIN

// What ranks know the number of rows by is the runtime's word.
// RUN: sed 's/@bn_scale/@whole_rows/' %s | not dlc-opt --dlc-resolve-modes --dlc-backward 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: something of the model is named 'whole_rows', by which ranks know the number that they share: rename it

// A largest sample is no sum; nor are the rows' own numbers the same on all ranks.
// RUN: sed 's/nn.sum %%squares/nn.reduce_max %%squares/' %s | not dlc-opt --dlc-resolve-modes --dlc-backward 2>&1 | FileCheck %s --check-prefix=LARGEST
// LARGEST: ranks cannot share a training step of this model; train it in one process, without mpirun and --launch: samples of a batch may meet in 'nn.reduce_max'

// CHECK: gradient @whole_weight : tensor<f64>
// CHECK: gradient @whole_rows : tensor<f64>
// CHECK: custom_function @gradient_over_ranks collective [#train.custom_tensor<"grad_y" : f32["n..."]>] -> [#train.custom_tensor<"grad_x" : f32["n..."]>] inplace [0, 0]
// CHECK: custom_function @sum_over_ranks collective [#train.custom_tensor<"x" : f32["n..."]>] -> [#train.custom_tensor<"y" : f32["n..."]>] inplace [0, 0] gradient @gradient_over_ranks

// Nothing of the statistics is there to weigh labels. Without other ranks, the rows of all are those that there are.
// CHECK-LABEL: grad_step @begin_batch
// CHECK-NOT: @sum_over_ranks
// CHECK: train.write %{{.+}}, @whole_rows
// CHECK-LABEL: grad_step @first_part
// CHECK: %[[ROWS:.+]] = train.read @whole_rows
// CHECK: %[[OWN:.+]] = nn.sum %{{.+}} axes [0]
// CHECK: %[[ALL:.+]] = train.custom @sum_over_ranks(%[[OWN]])
// CHECK: %[[CENTER:.+]] = nn.div %[[ALL]], %{{.+}} : tensor<3xf32>, tensor<f32>
// CHECK: train.custom @sum_over_ranks
// The penalty of the loss, a sum over samples:
// CHECK: %[[OWN:.+]] = nn.sum %{{.+}} axes [0, 1]
// CHECK: %[[PENALTY:.+]] = train.custom @sum_over_ranks(%[[OWN]])
// The cross entropy, and the weight that divides it:
// CHECK: %[[LOSS:.+]], %[[WEIGHT:.+]] = nn.softmax_cross_entropy {{ ?}}sum
// CHECK: %[[LOSSES:.+]] = train.custom @sum_over_ranks(%[[LOSS]])
// CHECK: %[[WEIGHTS:.+]] = train.custom @sum_over_ranks(%[[WEIGHT]])
// CHECK: nn.div %[[LOSSES]], %[[WEIGHTS]]
// Each rank has the share of its rows in the loss of all.
// CHECK: %[[SHARE:.+]] = nn.cast %{{.+}} to f32
// CHECK: nn.mul %{{.+}}, %[[SHARE]]
// CHECK: train.custom @gradient_over_ranks
// CHECK-NOT: @sum_over_ranks
// CHECK: train.write %{{.+}}, @whole_weight
// CHECK-LABEL: grad_step @grad_step
// CHECK-LABEL: grad_step_n @first_part_1
// CHECK: train.custom @sum_over_ranks
// CHECK: train.custom @gradient_over_ranks

// AGAIN: custom_function @sum_over_ranks collective

// Such a sum is a kernel of its own, which may be where the rank's own numbers are.
// PLAN: train.kernel @sum_over_ranks_{{[0-9]+}} schedule(#cpu.schedule<"call"
// PLAN: train.custom_call @sum_over_ranks
// PLAN: train.function accumulate @accumulate
// PLAN: train.launch @sum_over_ranks{{.*}} into
// PLAN: train.launch @gradient_over_ranks{{.*}} into

train.program @p attributes {batch_parts = 1 : i64} {
  train.dim open @batch = 8
  train.state parameter @w : tensor<5x3xf32>
  train.state parameter @bn_scale : tensor<3xf32>
  train.state parameter @bn_shift : tensor<3xf32>
  train.state buffer @mean : tensor<3xf32>
  train.state buffer @variance : tensor<3xf32>
  train.input @x : tensor<?x5xf32, #nn.dims<batch, _>>
  train.input target @labels range [0, 3) ignore -100 : tensor<?xi64, #nn.dims<batch>>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<?x5xf32, #nn.dims<batch, _>>
    %w = train.read @w : tensor<5x3xf32>
    %scale = train.read @bn_scale : tensor<3xf32>
    %shift = train.read @bn_shift : tensor<3xf32>
    %z = nn.matmul %x, %w : tensor<?x5xf32, #nn.dims<batch, _>>, tensor<5x3xf32>
    %y = train.batch_norm %z, %scale, %shift running @mean, @variance momentum 0.9 epsilon 1.0e-5 : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<3xf32>, tensor<3xf32>
    %squares = nn.mul %y, %y : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<?x3xf32, #nn.dims<batch, _>>
    %penalty = nn.sum %squares axes [0, 1] : tensor<?x3xf32, #nn.dims<batch, _>>
    %labels = train.read @labels : tensor<?xi64, #nn.dims<batch>>
    %entropy, %weight = nn.softmax_cross_entropy mean %y, %labels ignore_index -100 : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<?xi64, #nn.dims<batch>>
    %loss = nn.add %entropy, %penalty : tensor<f32>, tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
