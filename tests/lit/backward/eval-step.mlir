// Evaluation gives sums that can be added up over batches: of losses, of their weights, of correct rows.
// RUN: dlc-opt %s --split-input-file --dlc-recipe=set=loss=softmax-cross-entropy,prediction=y --dlc-attach-loss --dlc-resolve-modes --dlc-backward | FileCheck %s --check-prefixes=CHECK,CLASS
// RUN: dlc-opt %s --split-input-file --dlc-recipe=set=loss=bce-with-logits,prediction=y --dlc-attach-loss --dlc-resolve-modes --dlc-backward | FileCheck %s --check-prefixes=CHECK,LOGITS
// RUN: dlc-opt %s --split-input-file --dlc-recipe=set=loss=bce,prediction=p --dlc-attach-loss --dlc-resolve-modes --dlc-backward | FileCheck %s --check-prefix=BCE
// RUN: dlc-opt %s --split-input-file --dlc-recipe=set=loss=l1,prediction=y --dlc-attach-loss --dlc-resolve-modes --dlc-backward | FileCheck %s --check-prefixes=CHECK,L1

// CHECK: train.output {{ ?}}loss_sum @loss_sum : tensor<f64>
// CHECK: train.output {{ ?}}loss_weight @loss_weight : tensor<f64>
// CHECK: train.output {{ ?}}correct @correct : tensor<i64>
// CHECK-LABEL: eval_step @eval_step
// CHECK: %[[Y:.+]] = nn.add
// CHECK: %[[LOSS:.+]], %[[WEIGHT:.+]] = nn.{{[a-z0-9_]+}} {{ ?}}sum %[[Y]],
// CHECK: %[[LOSS64:.+]] = nn.cast %[[LOSS]] to f64
// CHECK: %[[WEIGHT64:.+]] = nn.cast %[[WEIGHT]] to f64

// CLASS: %[[BEST:.+]] = nn.argmax %[[Y]] axis 1
// CLASS: %[[IGNORED:.+]] = nn.compare {{ ?}}eq %[[LABELS:.+]], %
// CLASS: %[[COUNTS:.+]] = nn.logical_not %[[IGNORED]]
// CLASS: %[[HIT:.+]] = nn.compare {{ ?}}eq %[[BEST]], %[[LABELS]]
// CLASS: nn.logical_and %[[HIT]], %[[COUNTS]]
// CLASS: %[[CORRECT:.+]] = nn.sum %{{.+}} axes [0]
// LOGITS-DAG: nn.compare {{ ?}}gt %[[Y]], %[[ZERO:.+]] :
// LOGITS-DAG: %[[ZERO]] = nn.constant dense<0.000000e+00> : tensor<f32>
// BCE: %[[P:.+]] = nn.sigmoid
// BCE: nn.bce_loss {{ ?}}sum %[[P]],
// BCE: %[[HALF:.+]] = nn.constant dense<5.000000e-01> : tensor<f32>
// BCE: nn.compare {{ ?}}gt %[[P]], %[[HALF]]
// L1: %[[CORRECT:.+]] = nn.constant dense<0> : tensor<i64>
// L1: train.write %[[CORRECT]], @correct

// CHECK-LABEL: predict @predict
train.program @linear {
  train.dim @batch = 8
  train.state parameter @bias : tensor<4xf32>
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @p : tensor<?x4xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
    %b = train.read @bias : tensor<4xf32>
    %y = nn.add %x, %b : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<4xf32>
    %p = nn.sigmoid %y : tensor<?x4xf32, #nn.dims<batch, _>>
    train.write %y, @y : tensor<?x4xf32, #nn.dims<batch, _>>
    train.write %p, @p : tensor<?x4xf32, #nn.dims<batch, _>>
  }
}
