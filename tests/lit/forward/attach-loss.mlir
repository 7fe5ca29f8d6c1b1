// The loss, its target input and the output of the loss; named dims stay.
// RUN: dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy,ignore_index=7,label_smoothing=0.1,label_type=i32,prediction=y --dlc-attach-loss | FileCheck %s --check-prefix=CLASS
// RUN: dlc-opt %s --dlc-recipe=set=loss=nll,reduction=sum,prediction=l --dlc-attach-loss | FileCheck %s --check-prefix=NLL
// RUN: dlc-opt %s --dlc-recipe=set=loss=huber,delta=0.5,prediction=y --dlc-attach-loss | FileCheck %s --check-prefix=HUBER
// RUN: dlc-opt %s --dlc-recipe=set=loss=mse,prediction=y --dlc-attach-loss | FileCheck %s --check-prefix=MSE
// RUN: dlc-opt %s --dlc-recipe=set=loss=l1,prediction=y --dlc-attach-loss | FileCheck %s --check-prefix=L1
// RUN: dlc-opt %s --dlc-recipe=set=loss=bce,prediction=p --dlc-attach-loss | FileCheck %s --check-prefix=BCE
// RUN: dlc-opt %s --dlc-attach-loss | FileCheck %s --check-prefix=NONE

// CLASS: train.input target @labels range[0, 4) ignore 7 class_axis 1 : tensor<?xi32, #nn.dims<batch>>
// CLASS: train.output {{ ?}}loss @loss : tensor<f32>
// CLASS: %[[Y:.+]] = nn.add
// CLASS: %[[LABELS:.+]] = train.read @labels
// CLASS: %[[LOSS:.+]], %[[WEIGHT:.+]] = nn.softmax_cross_entropy {{ ?}}mean %[[Y]], %[[LABELS]] ignore_index 7 {label_smoothing = 1.000000e-01 : f64}
// CLASS: train.loss %[[LOSS]], %[[WEIGHT]]

// NLL: train.input target @labels range[0, 4) ignore -100 class_axis 1 : tensor<?xi64, #nn.dims<batch>>
// NLL: nn.nll_loss {{ ?}}sum

// HUBER: train.input target @target : tensor<?x4xf32, #nn.dims<batch, _>>
// HUBER: %[[TARGET:.+]] = train.read @target
// HUBER: nn.huber_loss {{ ?}}mean %{{.+}}, %[[TARGET]] {delta = 5.000000e-01 : f64}
// MSE: nn.mse_loss
// L1: nn.l1_loss
// BCE: nn.bce_loss
// NONE-NOT: train.loss
train.program @linear {
  train.dim @batch = 8
  train.state parameter @bias : tensor<4xf32>
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @p : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @l : tensor<?x4xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
    %b = train.read @bias : tensor<4xf32>
    %y = nn.add %x, %b : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<4xf32>
    %p = nn.sigmoid %y : tensor<?x4xf32, #nn.dims<batch, _>>
    %l = nn.log_softmax %y axis 1 : tensor<?x4xf32, #nn.dims<batch, _>>
    train.write %y, @y : tensor<?x4xf32, #nn.dims<batch, _>>
    train.write %p, @p : tensor<?x4xf32, #nn.dims<batch, _>>
    train.write %l, @l : tensor<?x4xf32, #nn.dims<batch, _>>
  }
}
