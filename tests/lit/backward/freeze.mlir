// Globs choose what is trained; nothing is computed for what is not.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe="set=freeze=fc1.*" --dlc-backward --dlc-verify-backward | FileCheck %s
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe="set=train=fc2.*" --dlc-backward --dlc-verify-backward | FileCheck %s
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe="set=train=*" --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=GLOBS
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe="set=train=*,train=scale" --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=FULL
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe="set=freeze=conv*" --dlc-backward 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe="set=train=[" --dlc-backward 2>&1 | FileCheck %s --check-prefix=GLOB
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe="set=freeze=*" --dlc-backward 2>&1 | FileCheck %s --check-prefix=ALL

// CHECK: train.state {{ ?}}parameter @fc1.w frozen
// CHECK: train.state {{ ?}}parameter @fc2.w :
// CHECK-NOT: @fc1.w.grad
// CHECK-LABEL: train_step @train_step
// CHECK: nn.matmul
// CHECK: nn.matmul
// CHECK: nn.matmul %{{.+}}, %{{.+}} transpose_a
// CHECK-NOT: nn.matmul
// CHECK: train.write %{{.+}}, @fc2.w
// CHECK-NOT: @fc1.w
// CHECK-LABEL: grad_step

// What the importer froze is trained only if its full name is given.
// GLOBS: train.state {{ ?}}parameter @scale frozen
// FULL: train.state {{ ?}}parameter @scale :
// FULL: train.gradient %{{.+}}, @scale

// NONE: error: freeze 'conv*' matches none of the parameters: 'fc1.w' 'fc2.w' 'scale'
// GLOB: error: train '[': invalid glob pattern
// ALL: error: nothing to train: 'mlp' has no parameter that is not frozen
train.program @mlp {
  train.state parameter @fc1.w : tensor<3x5xf32>
  train.state parameter @fc2.w : tensor<5x2xf32>
  train.state parameter @scale frozen : tensor<f32>
  train.input @x : tensor<8x3xf32>
  train.input target @target : tensor<8x2xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x3xf32>
    %w1 = train.read @fc1.w : tensor<3x5xf32>
    %w2 = train.read @fc2.w : tensor<5x2xf32>
    %h = nn.matmul %x, %w1 : tensor<8x3xf32>, tensor<3x5xf32>
    %scale = train.read @scale : tensor<f32>
    %z = nn.matmul %h, %w2 : tensor<8x5xf32>, tensor<5x2xf32>
    %y = nn.mul %z, %scale : tensor<8x2xf32>, tensor<f32>
    %target = train.read @target : tensor<8x2xf32>
    %loss, %weight = nn.mse_loss mean %y, %target : tensor<8x2xf32>, tensor<8x2xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
