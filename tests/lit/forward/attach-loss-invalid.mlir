// Errors say what the loss needs and what the model gives.
// RUN: not dlc-opt %s --dlc-recipe=set=loss=mse --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not dlc-opt %s --dlc-recipe=set=loss=mse,prediction=z --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not dlc-opt %s --dlc-recipe=set=loss=nll,prediction=flat --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not dlc-opt %s --dlc-recipe=set=loss=mse,prediction=count --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=DTYPE
// RUN: not dlc-opt %s --dlc-recipe=set=loss=output,prediction=flat --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy,prediction=last,class_axis=1 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not dlc-opt %s --dlc-recipe=set=loss=nll,prediction=last,class_axis=3 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dlc-opt %s --dlc-recipe=set=loss=nll,prediction=last,ignore_index=-9223372036854775808 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=MINIMUM
// RUN: not dlc-opt %s --dlc-recipe=set=loss=huber,prediction=last,delta=1e300 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=INFINITE
// RUN: not dlc-opt %s --dlc-recipe=set=loss=mae --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not dlc-opt %s --dlc-recipe=set=loss=mse,reduction=max --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=REDUCTION
// RUN: not dlc-opt %s --dlc-recipe=set=loss=nll,label_type=i8 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=LABELS
// RUN: not dlc-opt %s --dlc-recipe=set=loss=nll,label_smoothing=0.1 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=SMOOTH
// RUN: not dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy,label_smoothing=1.5 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not dlc-opt %s --dlc-recipe=set=loss=huber,delta=0.0 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=DELTA
// RUN: not dlc-opt %s --dlc-recipe=set=loss=nll,label_type=i32,ignore_index=4294967296 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=IGNORE

// IGNORE: error: ignore index 4294967296 is no i32, the type of the labels
// COUNT: error: loss 'mse' needs one prediction, but the model has 3 outputs; name one of them: 'flat' float32 [batch], 'count' int64 [batch], 'last' float32 [2, 3, 4]
// NAME: error: loss 'mse' needs the output 'z', which the model does not have; it has: 'flat' float32 [batch]
// RANK: error: loss 'nll' needs a prediction [rows, classes] or [rows, classes, ...] with a fixed number of classes, but output 'flat' is float32 [batch]
// DTYPE: error: loss 'mse' needs a prediction of floating-point numbers, but output 'count' is int64 [batch]
// ONE: error: loss 'output' needs an output of one number, but output 'flat' is float32 [batch]
// AXIS: error: output 'last' float32 [2, 3, 4] is a softmax over axis 2, but loss 'softmax-cross-entropy' takes axis 1 for the classes: give --class-axis=2, or apply the softmax along axis 1
// NONE: error: class axis 3: output 'last', which loss 'nll' takes, is float32 [2, 3, 4] with axes 0 to 2; -1 is the last one
// MINIMUM: error: ignore index: expected a number above -9223372036854775808
// INFINITE: error: delta of the Huber loss: expected a finite number above 0, got 1.000000e+300
// UNKNOWN: error: unknown loss 'mae'; expected softmax-cross-entropy, mse, l1, huber, bce, bce-with-logits, nll, ctc, output
// REDUCTION: error: unknown reduction 'max'; expected mean or sum
// LABELS: error: unknown label type 'i8'; expected i64, i32 or f32
// SMOOTH: error: label smoothing is for loss 'softmax-cross-entropy', not for 'nll'
// RANGE: error: label smoothing: expected a number from 0 to 1, got 1.5
// DELTA: error: delta of the Huber loss: expected a finite number above 0, got 0
train.program @three {
  train.dim @batch = 8
  train.input @x : tensor<?xf32, #nn.dims<batch>>
  train.input @z : tensor<2x3x4xf32>
  train.output prediction @flat : tensor<?xf32, #nn.dims<batch>>
  train.output prediction @count : tensor<?xi64, #nn.dims<batch>>
  train.output prediction @last : tensor<2x3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<?xf32, #nn.dims<batch>>
    %z = train.read @z : tensor<2x3x4xf32>
    %n = nn.cast %x to i64 : tensor<?xf32, #nn.dims<batch>>
    %s = nn.softmax %z axis 2 : tensor<2x3x4xf32>
    train.write %x, @flat : tensor<?xf32, #nn.dims<batch>>
    train.write %n, @count : tensor<?xi64, #nn.dims<batch>>
    train.write %s, @last : tensor<2x3x4xf32>
  }
}
