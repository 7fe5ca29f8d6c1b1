// Queries times keys, both as they come: the product of each head transposes its keys itself, so that nothing is moved before.
// A head of few queries has its keys moved for it.
// RUN: dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-layout --dlc-verify-layout | FileCheck %s

// CHECK: train.program @long
// CHECK-NOT: doc = "layout"
// CHECK: train.program @short
// CHECK: doc = "layout"
train.program @long {
  train.input @q : tensor<24x256x64xf32>
  train.input @k : tensor<24x256x64xf32>
  train.output prediction @s : tensor<24x256x256xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<24x256x64xf32>
    %k = train.read @k : tensor<24x256x64xf32>
    %s = nn.matmul %q, %k transpose_b : tensor<24x256x64xf32>, tensor<24x256x64xf32>
    train.write %s, @s : tensor<24x256x256xf32>
  }
}

// -----

train.program @short {
  train.input @q : tensor<24x64x64xf32>
  train.input @k : tensor<24x64x64xf32>
  train.output prediction @s : tensor<24x64x64xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<24x64x64xf32>
    %k = train.read @k : tensor<24x64x64xf32>
    %s = nn.matmul %q, %k transpose_b : tensor<24x64x64xf32>, tensor<24x64x64xf32>
    train.write %s, @s : tensor<24x64x64xf32>
  }
}
