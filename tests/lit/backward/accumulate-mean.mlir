// Gradients of several batches are those of the joined batch: grad_step writes the weight beside them, accumulate makes of
// both their mean, by the weights, and apply takes it as it is. A training step has one batch and is as without.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=accumulate=mean --dlc-backward --dlc-verify-backward > %t.mean
// RUN: FileCheck %s < %t.mean
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward > %t.sum
// RUN: FileCheck %s --check-prefix=SUM < %t.sum
// RUN: sed 's/mse_loss mean/mse_loss sum/' %s | dlc-opt --dlc-resolve-modes --dlc-recipe=set=accumulate=mean --dlc-backward | FileCheck %s --check-prefix=SUM
// RUN: sed 's/@fc.w/@gradient_weight/' %s | not dlc-opt --dlc-resolve-modes --dlc-recipe=set=accumulate=mean --dlc-backward 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: is named 'gradient_weight', as is the weight of the labels
// RUN: sed -n '/function train_step/,/^    }/p' %t.mean > %t.mean-step
// RUN: sed -n '/function train_step/,/^    }/p' %t.sum > %t.sum-step
// RUN: cmp %t.mean-step %t.sum-step
// RUN: sed -n '/function apply/,/^    }/p' %t.mean > %t.mean-apply
// RUN: sed -n '/function apply/,/^    }/p' %t.sum > %t.sum-apply
// RUN: cmp %t.mean-apply %t.sum-apply

// SUM-NOT: gradient_weight
// SUM-LABEL: function accumulate
// SUM: %[[BEFORE:.+]] = train.read @fc.w.grad
// SUM: %[[BOTH:.+]] = nn.add %[[BEFORE]], %{{.*}} : tensor<3x2xf32>
// SUM: train.write %[[BOTH]], @fc.w.grad
// SUM-NOT: gradient_weight

// CHECK: train.state gradient @gradient_weight {gradient_weight} : tensor<f64>
// CHECK-LABEL: train_step @train_step
// CHECK-NOT: gradient_weight
// CHECK-LABEL: function grad_step
// CHECK: %{{.+}}, %[[WEIGHT:.+]] = nn.mse_loss
// CHECK: %[[NUMBER:.+]] = nn.cast %[[WEIGHT]] to f64
// CHECK-NOT: nn.fma
// CHECK: train.write %[[NUMBER]], @gradient_weight
// CHECK-LABEL: function accumulate
// CHECK: %{{.+}}, %[[WEIGHT:.+]] = nn.mse_loss
// CHECK: %[[NUMBER:.+]] = nn.cast %[[WEIGHT]] to f64
// CHECK: %[[BEFORE:.+]] = train.read @gradient_weight
// CHECK: %[[BOTH:.+]] = nn.add %[[BEFORE]], %[[NUMBER]]
// CHECK: %[[PART:.+]] = nn.div %[[NUMBER]], %[[BOTH]]
// CHECK: %[[SHARE:.+]] = nn.select %{{.+}}, %{{.+}}, %[[PART]]
// CHECK: %[[BY:.+]] = nn.cast %[[SHARE]] to f32
// CHECK: %[[G:.+]] = train.gradient %{{.+}}, @fc.w
// CHECK: %[[OLD:.+]] = train.read @fc.w.grad
// CHECK: %[[FROM:.+]] = nn.sub %[[G]], %[[OLD]]
// CHECK: nn.fma %[[BY]], %[[FROM]], %[[OLD]]
// CHECK: nn.select %{{.+}}, %[[G]]
// CHECK: %[[MEAN:.+]] = nn.select %{{.+}}, %[[OLD]]
// CHECK-DAG: train.write %[[MEAN]], @fc.w.grad
// CHECK-DAG: train.write %[[BOTH]], @gradient_weight
// CHECK-LABEL: function apply
// CHECK-NOT: gradient_weight
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
