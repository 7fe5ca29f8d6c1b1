// The gradient of a weight with few columns on one side, over very many rows: the weight lies so that vectors run along
// the other side (in panels here), and what is copied for the rows is the smaller operand. With fewer rows, or more
// columns, the order stays as it is.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-verify-layout | FileCheck %s

// CHECK: train.state parameter @many layout <[0, 2, 1], shape = [8, 32, 48]> : tensor<256x48xf32>
// CHECK: train.state parameter @fewer : tensor<256x48xf32>
// CHECK: train.state parameter @wide layout <[1, 0, 2], shape = [256, 5, 32]> : tensor<256x160xf32>
// CHECK-LABEL: train.function train_step @train_step
// CHECK: linalg.generic {doc = "matmul"{{.*}} outs(%{{.*}} : tensor<8x48x32xf32>)
// CHECK: linalg.generic {doc = "matmul"{{.*}} outs(%{{.*}} : tensor<256x48xf32>)
train.program @p {
  train.state parameter @many : tensor<256x48xf32>
  train.state parameter @fewer : tensor<256x48xf32>
  train.state parameter @wide : tensor<256x160xf32>
  train.input @x : tensor<4096x48xf32>
  train.input @dy : tensor<4096x256xf32>
  train.input @x_short : tensor<1024x48xf32>
  train.input @dy_short : tensor<1024x256xf32>
  train.input @x_wide : tensor<4096x160xf32>
  train.function train_step @train_step {
    %x = train.read @x : tensor<4096x48xf32>
    %dy = train.read @dy : tensor<4096x256xf32>
    %many = nn.matmul %dy, %x transpose_a : tensor<4096x256xf32>, tensor<4096x48xf32>
    train.write %many, @many : tensor<256x48xf32>
    %x_short = train.read @x_short : tensor<1024x48xf32>
    %dy_short = train.read @dy_short : tensor<1024x256xf32>
    %fewer = nn.matmul %dy_short, %x_short transpose_a : tensor<1024x256xf32>, tensor<1024x48xf32>
    train.write %fewer, @fewer : tensor<256x48xf32>
    %x_wide = train.read @x_wide : tensor<4096x160xf32>
    %wide = nn.matmul %dy, %x_wide transpose_a : tensor<4096x256xf32>, tensor<4096x160xf32>
    train.write %wide, @wide : tensor<256x160xf32>
  }
}
