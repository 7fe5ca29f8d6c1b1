// A program for ranks has one part of a batch, and other processes the others. What grad_step weighs, ranks add up; then
// accumulate divides by it, and computes a share of the gradients. Where the batch is open, so is the part.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-verify-backward | FileCheck %s
// RUN: sed 's/softmax_cross_entropy mean/softmax_cross_entropy sum/' %s | dlc-opt --dlc-resolve-modes --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=SUM
// RUN: sed 's/train.dim open/train.dim/' %s | dlc-opt --dlc-resolve-modes --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=FIXED
// RUN: dlc compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: sed 's/@w : tensor<5x4xf32>/@whole_weight : tensor<5x4xf32>/' %s | not dlc-opt --dlc-resolve-modes --dlc-backward 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: something of the model is named 'whole_weight', by which ranks know the number that they share: rename it

// The runtime knows a gradient by its parameter's name, in one process, too.
// RUN: sed 's/@labels\b/@w.grad/' %s | not dlc-opt --dlc-resolve-modes --dlc-backward 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error: the gradient of parameter 'w' is called 'w.grad', as something else of the model is: give that another name

// Samples that meet are seen when the program is loop nests.
// RUN: sed 's/%%y = nn.relu %%z/%%y = nn.softmax %%z axis 0/' %s > %t.mlir
// RUN: not dlc compile %t.mlir --emit=plan 2>&1 | FileCheck %s --check-prefix=MEET
// MEET: ranks cannot share a training step of this model; train it in one process, without mpirun and --launch: samples of a batch may meet in

// Random numbers of a sample are those of its row in the batch of all ranks: their state gets its number.
// RUN: sed 's/%%y = nn.relu %%z/%%r = train.read @rng : tensor<2xi64>\n    %%y = nn.dropout %%z, %%r ratio 0.5 stream 0/; s/<batch, _>> \/\/ y/<batch, _>>, tensor<2xi64>/' %s > %t.draws.mlir
// RUN: dlc-opt %t.draws.mlir --dlc-resolve-modes --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=DRAWS
// RUN: dlc compile %t.draws.mlir --emit=plan | FileCheck %s --check-prefix=PLAN
// DRAWS: gradient @first_row : tensor<f64>
// DRAWS-LABEL: @begin_batch
// DRAWS-NOT: @rng
// DRAWS-LABEL: @first_part
// DRAWS: %[[ROW:.+]] = train.read @first_row
// DRAWS: %[[NUMBER:.+]] = nn.cast %{{.+}} to i64
// DRAWS: %[[STATE:.+]] = nn.concat %{{.+}}, %{{.+}} axis 0
// DRAWS: nn.dropout %{{.+}}, %[[STATE]] ratio
// DRAWS: nn.dropout %{{.+}}, %[[STATE]] ratio
// DRAWS-LABEL: @grad_step

// CHECK: gradient @part_loss {part_loss} : tensor<f64>
// CHECK: gradient @whole_weight : tensor<f64>

// CHECK-LABEL: grad_step @begin_batch attributes {one_part}
// CHECK-NOT: train.read @x
// CHECK: train.read @labels : tensor<9xi64>
// CHECK: %[[WEIGHT:.+]] = nn.cast %weight to f64
// CHECK: train.write %[[WEIGHT]], @whole_weight
// CHECK-LABEL: grad_step @first_part attributes {one_part}
// CHECK: nn.softmax_cross_entropy {{ ?}}sum
// CHECK: %[[ALL:.+]] = train.read @whole_weight
// CHECK: %[[DIVISOR:.+]] = nn.cast %[[ALL]] to f32
// CHECK: nn.div %loss, %[[DIVISOR]]
// CHECK: train.write %{{.+}}, @part_loss
// CHECK-NOT: train.read @w.grad
// CHECK: train.write %{{.+}}, @w.grad
// CHECK-NOT: @whole_weight
// CHECK-LABEL: train_step @train_step
// CHECK-SAME: phases = [#train.phase<@begin_batch, 0>, #train.phase<@first_part, 0>]
// CHECK-LABEL: grad_step @grad_step
// CHECK-SAME: phases = [#train.phase<@begin_batch, 0>]} {
// CHECK-NEXT: }
// CHECK-LABEL: accumulate @accumulate
// CHECK-SAME: phases = [#train.phase<@first_part, 0>]
// CHECK-LABEL: grad_step_n @begin_batch_1
// CHECK: train.read @labels : tensor<?xi64, #nn.dims<batch>>
// CHECK-LABEL: grad_step_n @first_part_1
// CHECK-LABEL: train_step_n @train_step_n
// CHECK-LABEL: grad_step_n @grad_step_n
// CHECK-SAME: phases = [#train.phase<@begin_batch_1, 0>]
// CHECK-LABEL: accumulate_n @accumulate_n
// CHECK-SAME: phases = [#train.phase<@first_part_1, 0>]

// The weights of a sum are not divided by, but are known.
// SUM-LABEL: @begin_batch
// SUM: train.write %{{.+}}, @whole_weight
// SUM-LABEL: @first_part
// SUM-NOT: nn.div
// SUM-LABEL: @train_step

// FIXED: accumulate @accumulate
// FIXED-NOT: step_n

// PLAN: grad_step @grad_step
// PLAN-SAME: batch_parts = 1
// PLAN: accumulate_n @accumulate_n

train.program @p attributes {batch_parts = 1 : i64} {
  train.dim open @batch = 9
  train.state parameter @w : tensor<5x4xf32>
  train.state rng @rng : tensor<2xi64>
  train.input @x : tensor<?x5xf32, #nn.dims<batch, _>>
  train.input target @labels range [0, 4) ignore -100 : tensor<?xi64, #nn.dims<batch>>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<?x5xf32, #nn.dims<batch, _>>
    %w = train.read @w : tensor<5x4xf32>
    %z = nn.matmul %x, %w : tensor<?x5xf32, #nn.dims<batch, _>>, tensor<5x4xf32>
    %y = nn.relu %z : tensor<?x4xf32, #nn.dims<batch, _>> // y
    %labels = train.read @labels : tensor<?xi64, #nn.dims<batch>>
    %loss, %weight = nn.softmax_cross_entropy mean %y, %labels ignore_index -100 : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<?xi64, #nn.dims<batch>>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
