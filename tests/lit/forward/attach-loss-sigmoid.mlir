// bce-with-logits takes what goes into a trailing sigmoid, also past a reshape; bce takes the sigmoid's
// result, as PyTorch's BCELoss.
// RUN: dlc-opt %s --dlc-recipe=set=loss=bce-with-logits --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=LOGITS
// RUN: dlc-opt %s --dlc-recipe=set=loss=bce --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=BCE

// LOGITS: warning: loss 'bce-with-logits' applies this Sigmoid itself, so it is computed from the scores before it (PyTorch applies both)
// LOGITS: %[[X:.+]] = train.read @x
// LOGITS: %[[P:.+]] = nn.sigmoid %[[X]]
// LOGITS: %[[Y:.+]] = nn.reshape %[[P]]
// LOGITS: train.write %[[Y]], @y
// LOGITS: %[[LOGITS:.+]] = nn.reshape %[[X]] : tensor<8x1xf32> -> tensor<8xf32>
// LOGITS: nn.bce_with_logits_loss {{ ?}}mean %[[LOGITS]],

// BCE-NOT: remark
// BCE: %[[P:.+]] = nn.sigmoid
// BCE: %[[Y:.+]] = nn.reshape %[[P]]
// BCE: nn.bce_loss {{ ?}}mean %[[Y]],
train.program @sigmoid {
  train.input @x : tensor<8x1xf32>
  train.output prediction @y : tensor<8xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x1xf32>
    %p = nn.sigmoid %x : tensor<8x1xf32>
    %y = nn.reshape %p : tensor<8x1xf32> -> tensor<8xf32>
    train.write %y, @y : tensor<8xf32>
  }
}
