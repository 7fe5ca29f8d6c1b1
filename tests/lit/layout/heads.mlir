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

// -----

// What the heads give is a matrix again, for the layer behind them: their product writes it as that lies, position by
// position.
// CHECK: train.program @joined
// CHECK-NOT: doc = "layout"
// CHECK: doc = "matmul"{{.*}} outs(%{{.*}} : tensor<2x256x4x64xf32>)
// CHECK-NOT: doc = "layout"
// CHECK: tensor.collapse_shape {{.*}} : tensor<2x256x4x64xf32> into tensor<512x256xf32>
// CHECK-NOT: doc = "layout"
train.program @joined {
  train.input @p : tensor<2x4x256x256xf32>
  train.input @v : tensor<2x4x256x64xf32>
  train.state parameter @w : tensor<256x128xf32>
  train.output prediction @y : tensor<512x128xf32>
  train.function predict @predict {
    %p = train.read @p : tensor<2x4x256x256xf32>
    %v = train.read @v : tensor<2x4x256x64xf32>
    %w = train.read @w : tensor<256x128xf32>
    %heads = nn.matmul %p, %v : tensor<2x4x256x256xf32>, tensor<2x4x256x64xf32>
    %positions = nn.transpose %heads [0, 2, 1, 3] : tensor<2x4x256x64xf32>
    %rows = nn.reshape %positions : tensor<2x256x4x64xf32> -> tensor<512x256xf32>
    %y = nn.matmul %rows, %w : tensor<512x256xf32>, tensor<256x128xf32>
    train.write %y, @y : tensor<512x128xf32>
  }
}
