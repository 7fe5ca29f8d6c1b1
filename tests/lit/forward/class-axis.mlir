// Where the classes are: said by the option, by the softmax that the model ends in, else axis 1 as in PyTorch, with a
// warning where a prediction of three axes or more can be read in two ways.
// RUN: dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy,class_axis=2 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy,class_axis=-1 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy,class_axis=0 --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: dlc-opt %s --dlc-recipe=set=loss=softmax-cross-entropy --dlc-attach-loss 2>&1 | FileCheck %s --check-prefix=CHOSEN

// All axes before the classes become one, and nothing moves in memory.
// LAST-NOT: warning
// LAST-LABEL: @logits
// LAST: train.input target @labels range[0, 65) ignore -100 class_axis 2 : tensor<8x64xi64>
// LAST: %[[Y:.+]] = nn.matmul
// LAST: %[[LABELS:.+]] = train.read @labels
// LAST-DAG: %[[ROWS:.+]] = nn.reshape %[[Y]] : tensor<8x64x65xf32> -> tensor<512x65xf32>
// LAST-DAG: %[[FLAT:.+]] = nn.reshape %[[LABELS]] : tensor<8x64xi64> -> tensor<512xi64>
// LAST: nn.softmax_cross_entropy mean %[[ROWS]], %[[FLAT]]

// FIRST-LABEL: @logits
// FIRST: train.input target @labels range[0, 8) ignore -100 class_axis 0 : tensor<64x65xi64>
// FIRST-DAG: nn.reshape %{{.+}} : tensor<8x64x65xf32> -> tensor<1x8x4160xf32>
// FIRST-DAG: nn.reshape %{{.+}} : tensor<64x65xi64> -> tensor<1x4160xi64>

// CHOSEN: warning: loss 'softmax-cross-entropy': which axis of output 'y' float32 [8, 64, 65] holds the classes? Taken is axis 1, as in PyTorch: 64 classes, labels [8, 65]. The other reading is axis 2, along which a layer's outputs lie: 65 classes, labels [8, 64]; --class-axis=2 chooses it, --class-axis=1 confirms the first
// CHOSEN-LABEL: @logits
// CHOSEN: class_axis 1 : tensor<8x65xi64>
train.program @logits {
  train.state parameter @w : tensor<16x65xf32>
  train.input @x : tensor<8x64x16xf32>
  train.output prediction @y : tensor<8x64x65xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x64x16xf32>
    %w = train.read @w : tensor<16x65xf32>
    %y = nn.matmul %x, %w : tensor<8x64x16xf32>, tensor<16x65xf32>
    train.write %y, @y : tensor<8x64x65xf32>
  }
}
