// With `metrics`, steps that train tell what eval_step does, of their own batch: whole, and in parts, where the parts add up
// weights and right predictions beside the loss.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=step_metrics --dlc-backward --dlc-verify-backward | FileCheck %s
// RUN: sed 's/@p {/@p attributes {batch_parts = 3 : i64} {/' %s | dlc-opt --dlc-resolve-modes --dlc-recipe=set=step_metrics --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=PARTS
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: of_step

// CHECK: train.output {{ ?}}loss_sum @step_loss_sum {of_step} : tensor<f64>
// CHECK: train.output {{ ?}}loss_weight @step_loss_weight {of_step} : tensor<f64>
// CHECK: train.output {{ ?}}correct @step_correct {of_step} : tensor<i64>
// CHECK-LABEL: train_step @train_step
// CHECK: %[[Y:.+]] = nn.matmul
// CHECK: %[[LOSS:.+]], %[[WEIGHT:.+]] = nn.softmax_cross_entropy {{ ?}}mean %[[Y]],
// CHECK-DAG: %[[LOSS64:.+]] = nn.cast %[[LOSS]] to f64
// CHECK-DAG: %[[WEIGHT64:.+]] = nn.cast %[[WEIGHT]] to f64
// CHECK-DAG: nn.argmax %[[Y]] axis 1
// CHECK: %[[SUM:.+]] = nn.mul %[[LOSS64]], %[[WEIGHT64]]
// CHECK: %[[COUNTED:.+]] = nn.select %{{.+}}, %{{.+}}, %[[SUM]]
// CHECK-DAG: train.write %[[COUNTED]], @step_loss_sum
// CHECK-DAG: train.write %[[WEIGHT64]], @step_loss_weight
// CHECK-DAG: train.write %{{.+}}, @step_correct
// CHECK-LABEL: grad_step @grad_step
// CHECK: train.write %{{.+}}, @step_correct
// CHECK-LABEL: accumulate @accumulate
// CHECK: train.write %{{.+}}, @step_correct
// CHECK-LABEL: apply @apply
// CHECK-NOT: @step_
// CHECK: train.write %{{.+}}, @w
// CHECK-LABEL: eval_step @eval_step
// CHECK-NOT: @step_
// CHECK: train.write %{{.+}}, @correct

// PARTS-LABEL: @begin_batch
// PARTS-DAG: train.write %{{.+}}, @part_rows
// PARTS-DAG: train.write %{{.+}}, @part_correct
// PARTS-LABEL: @weigh_part
// PARTS-NOT: @part_correct
// PARTS-LABEL: @first_part
// PARTS: train.read @part_correct
// PARTS-NOT: @step_correct
// PARTS: train.write %{{.+}}, @part_correct
// PARTS-LABEL: @next_part
// PARTS: train.write %{{.+}}, @part_correct
// PARTS-LABEL: train_step @train_step
// PARTS: train.read @part_correct
// PARTS: train.write %{{.+}}, @step_correct

train.program @p {
  train.dim @batch = 9
  train.state parameter @w : tensor<5x4xf32>
  train.input @x : tensor<?x5xf32, #nn.dims<batch, _>>
  train.input target @labels range [0, 4) ignore -100 : tensor<?xi64, #nn.dims<batch>>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<?x5xf32, #nn.dims<batch, _>>
    %w = train.read @w : tensor<5x4xf32>
    %y = nn.matmul %x, %w : tensor<?x5xf32, #nn.dims<batch, _>>, tensor<5x4xf32>
    %labels = train.read @labels : tensor<?xi64, #nn.dims<batch>>
    %loss, %weight = nn.softmax_cross_entropy mean %y, %labels ignore_index -100 : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<?xi64, #nn.dims<batch>>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
