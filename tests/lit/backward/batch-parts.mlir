// A program whose batch is gone over in parts has functions for one part, which training functions name. The weights of
// all parts are summed up first, without predictions; then each part divides its loss by the sum.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=accumulate=mean --dlc-backward --dlc-verify-backward | FileCheck %s
// RUN: sed 's/softmax_cross_entropy mean/softmax_cross_entropy sum/' %s | dlc-opt --dlc-resolve-modes --dlc-recipe=set=accumulate=mean --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=SUM
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward > %t.mlir
// RUN: not dlc-interpret %t.mlir --function=train_step --input=x=random --input=labels=random 2>&1 | FileCheck %s --check-prefix=INTERPRETED
// INTERPRETED: goes over its batch in parts, as a memory budget wants it; the interpreter takes programs without a budget only

// CHECK: gradient @part_loss {part_loss} : tensor<f64>
// CHECK: gradient @part_weight : tensor<f64>
// CHECK-LABEL: function apply
// CHECK-NOT: gradient_weight

// CHECK-LABEL: @begin_batch attributes {one_part}
// CHECK-NOT: train.read @x
// CHECK: train.read @labels : tensor<3xi64>
// CHECK: nn.softmax_cross_entropy
// CHECK-DAG: train.write %{{.+}}, @part_loss
// CHECK-DAG: train.write %{{.+}}, @part_weight
// CHECK-LABEL: @weigh_part attributes {one_part}
// CHECK: train.read @part_weight
// CHECK-NOT: @part_loss
// CHECK: train.write %{{.+}}, @part_weight
// CHECK-LABEL: @first_part attributes {one_part}
// CHECK: train.read @x : tensor<3x5xf32>
// CHECK: nn.softmax_cross_entropy {{ ?}}sum
// CHECK: train.read @part_weight
// CHECK: nn.div
// CHECK: train.read @part_loss
// CHECK-NOT: train.read @w.grad
// CHECK: train.write %{{.+}}, @w.grad
// CHECK-LABEL: @next_part attributes {one_part}
// CHECK: %[[BEFORE:.+]] = train.read @w.grad
// CHECK: nn.add %[[BEFORE]]
// CHECK: train.write %{{.+}}, @w.grad

// CHECK-LABEL: train_step @train_step
// CHECK-SAME: phases = [#train.phase<@begin_batch, 0>, #train.phase<@weigh_part, 1>, #train.phase<@weigh_part, 2>, #train.phase<@first_part, 0>, #train.phase<@next_part, 1>, #train.phase<@next_part, 2>]
// CHECK: %[[LOSS:.+]] = train.read @part_loss
// CHECK: %[[WEIGHT:.+]] = train.read @part_weight
// CHECK: %[[G:.+]] = train.read @w.grad
// CHECK: train.gradient %[[G]], @w
// CHECK: train.plain_sgd
// CHECK: train.write %[[WEIGHT]], @gradient_weight
// CHECK: train.write %{{.+}}, @w
// CHECK-LABEL: grad_step @grad_step
// CHECK-SAME: #train.phase<@first_part, 0>, #train.phase<@next_part, 1>, #train.phase<@next_part, 2>]
// CHECK: %[[WEIGHT:.+]] = train.read @part_weight
// CHECK-NOT: nn.div
// CHECK: train.write %[[WEIGHT]], @gradient_weight

// What is there is divided by the weight of all, as the parts of one more batch are; its own loss is not.
// CHECK-LABEL: @join_batch attributes {one_part}
// CHECK: %[[BEFORE:.+]] = train.read @gradient_weight
// CHECK: %[[OWN:.+]] = train.read @part_weight
// CHECK: %[[ALL:.+]] = nn.add %[[BEFORE]], %[[OWN]]
// CHECK: %[[SHARE:.+]] = nn.div %[[BEFORE]], %[[ALL]]
// CHECK: %[[G:.+]] = train.read @w.grad
// CHECK: nn.mul %[[G]]
// CHECK: %[[LESS:.+]] = nn.select
// CHECK-DAG: train.write %[[ALL]], @part_weight
// CHECK-DAG: train.write %[[LESS]], @w.grad
// CHECK-LABEL: accumulate @accumulate
// CHECK-SAME: #train.phase<@weigh_part, 2>, #train.phase<@join_batch, 0>, #train.phase<@next_part, 0>, #train.phase<@next_part, 1>, #train.phase<@next_part, 2>]
// CHECK: %[[LOSS:.+]] = train.read @part_loss
// CHECK: %[[ALL:.+]] = train.read @part_weight
// CHECK: %[[BEFORE:.+]] = train.read @gradient_weight
// CHECK: %[[OWN:.+]] = nn.sub %[[ALL]], %[[BEFORE]]
// CHECK: %[[UNDO:.+]] = nn.div %[[ALL]], %[[OWN]]
// CHECK: nn.mul %[[LOSS]], %[[UNDO]]
// CHECK: train.write %[[ALL]], @gradient_weight

// SUM-NOT: gradient_weight
// SUM-NOT: part_weight
// SUM-NOT: weigh_part
// SUM-LABEL: @first_part
// SUM-NOT: nn.div
// SUM-LABEL: @next_part
// SUM: phases = [#train.phase<@begin_batch, 0>, #train.phase<@first_part, 0>, #train.phase<@next_part, 1>, #train.phase<@next_part, 2>]

train.program @p attributes {batch_parts = 3 : i64} {
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
