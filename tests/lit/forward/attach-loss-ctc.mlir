// The loss of sequences: three targets, and which axis is what.
// RUN: dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=3,prediction=tbc --dlc-attach-loss | FileCheck %s
// RUN: dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=3,prediction=bct,label_type=i32,ignore_index=-1,reduction=sum,blank=4 --dlc-attach-loss | FileCheck %s --check-prefix=OTHER
// RUN: dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=3,prediction=fixed,time_axis=-2 --dlc-attach-loss | FileCheck %s --check-prefix=FIXED
// RUN: dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=3,prediction=own --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: not dlc-opt %s --dlc-recipe=set=loss=ctc,prediction=tbc --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: not dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=65537,prediction=tbc --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: not dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=3,prediction=fixed --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=WHICH
// RUN: not dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=3,prediction=tbc,time_axis=2 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=3,prediction=tbc,time_axis=1 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=3,prediction=tbc,class_axis=0 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=SOFTMAX
// RUN: not dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=3,prediction=tbc,blank=5 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=BLANK
// RUN: not dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=3,prediction=tbc,blank=-1 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=BLANK
// RUN: not dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=3,prediction=rows --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=3,prediction=scores --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=FIT
// RUN: not dlc-opt %s --dlc-recipe=set=loss=ctc,max_labels=3,prediction=long,time_axis=0 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=LONG

// CHECK: train.input target @labels range[0, 5) ignore -100 : tensor<?x3xi64, #nn.dims<batch, _>>
// CHECK: train.input target @input_lengths range[0, 7) : tensor<?xi64, #nn.dims<batch>>
// CHECK: train.input target @label_lengths range[0, 4) : tensor<?xi64, #nn.dims<batch>>
// CHECK: nn.reshape %{{.+}} : tensor<6x?x5xf32, #nn.dims<_, batch, _>> -> tensor<6x?xf32, #nn.dims<_, "5*batch">>
// CHECK: nn.gather {{.+}} axis 1
// CHECK: %[[LOSS:.+]] = nn.mean {{.+}} axes [0] : tensor<?xf32, #nn.dims<batch>>
// CHECK: train.loss %[[LOSS]]
// OTHER: train.input target @labels range[0, 5) ignore -1 : tensor<?x3xi32, #nn.dims<batch, _>>
// OTHER: train.input target @input_lengths range[0, 7) : tensor<?xi32, #nn.dims<batch>>
// OTHER: nn.transpose %{{.+}} [2, 0, 1] : tensor<?x5x6xf32, #nn.dims<batch, _, _>>
// OTHER: nn.sum
// FIXED: train.input target @input_lengths range[0, 3) : tensor<6xi64>
// OWN: warning: loss 'ctc' takes logarithms of probabilities, as a LogSoftmax gives them, but the values of output 'own' are numbers from -1 to 1; end the model in a LogSoftmax over the classes
// OWN: train.input target @labels range[0, 5)

// MOST: error: loss 'ctc' needs the most labels that a sequence has, --max-labels=N from 1 to 65536, got {{0|65537}}
// WHICH: error: loss 'ctc': output 'fixed' float32 [6, 2, 5] does not say which axis counts the sequences of a batch and which one the places of a sequence: give --time-axis=0 or --time-axis=1 for the places
// TAKEN: error: loss 'ctc': output 'tbc' float32 [6, batch, 5] has no axis 2 for the places of a sequence: expected 0 or 1, as axis 2 has the classes (--time-axis, --class-axis)
// OPEN: error: loss 'ctc': output 'tbc' float32 [6, batch, 5] has an open number of places along axis 1: give it a fixed size (--dim=NAME=N with the longest sequence's), and each sequence's own as 'input_lengths'
// SOFTMAX: error: output 'tbc' float32 [6, batch, 5] is a softmax over axis 2, but loss 'ctc' takes axis 0 for the classes
// BLANK: error: loss 'ctc': output 'tbc' float32 [6, batch, 5] has classes 0 to 4, of which one is the blank, got --blank={{5|-1}}
// RANK: error: loss 'ctc': output 'rows' float32 [batch, 5] has 2 axes, expected three: places of a sequence, sequences of a batch, and classes
// FIT: error: loss 'ctc' takes logarithms of probabilities, as a LogSoftmax gives them, but the values of output 'scores' can be any number: the loss has no lower end and falls for ever; end the model in a LogSoftmax over the classes
// LONG: error: loss 'ctc': output 'long' float32 [513, 1, 5] has 513 places along axis 0, expected at most 512: a copy of the recursion is made for each
!tbc = tensor<6x?x5xf32, #nn.dims<_, batch, _>>
!bct = tensor<?x5x6xf32, #nn.dims<batch, _, _>>
train.program @sequences {
  train.dim @batch = 8
  train.state parameter @w : tensor<5x5xf32>
  train.state parameter @v : tensor<513x1x5xf32>
  train.input @x : !tbc
  train.input @z : tensor<6x2x5xf32>
  train.output prediction @tbc : !tbc
  train.output prediction @bct : !bct
  train.output prediction @fixed : tensor<6x2x5xf32>
  train.output prediction @own : !tbc
  train.output prediction @scores : !tbc
  train.output prediction @rows : tensor<?x5xf32, #nn.dims<batch, _>>
  train.output prediction @long : tensor<513x1x5xf32>
  train.function forward @forward {
    %x = train.read @x : !tbc
    %w = train.read @w : tensor<5x5xf32>
    %s = nn.matmul %x, %w : !tbc, tensor<5x5xf32>
    train.write %s, @scores : !tbc
    %l = nn.log_softmax %s axis 2 : !tbc
    train.write %l, @tbc : !tbc
    %b = nn.transpose %l [1, 2, 0] : !tbc
    train.write %b, @bct : !bct
    %t = nn.tanh %s : !tbc
    train.write %t, @own : !tbc
    %r = nn.sum %l axes [0] : !tbc
    train.write %r, @rows : tensor<?x5xf32, #nn.dims<batch, _>>
    %z = train.read @z : tensor<6x2x5xf32>
    %y = nn.matmul %z, %w : tensor<6x2x5xf32>, tensor<5x5xf32>
    %f = nn.log_softmax %y axis 2 : tensor<6x2x5xf32>
    train.write %f, @fixed : tensor<6x2x5xf32>
    %v = train.read @v : tensor<513x1x5xf32>
    %g = nn.log_softmax %v axis 2 : tensor<513x1x5xf32>
    train.write %g, @long : tensor<513x1x5xf32>
  }
}
