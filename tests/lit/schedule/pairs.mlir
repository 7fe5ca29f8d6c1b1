// Products of bf16 are added pair by pair where the CPU has instructions for it that are worth it. Pairs are
// neighbours along the last reduction that both operands are read along element by element: under a window the channels,
// in the gradient of its weight the images. An odd reduction has none.
// RUN: dlc compile %s --precision=bf16 --optimizer=sgd --emit=schedule --triple=x86_64-linux-gnu --cpu=znver4 -o %t
// RUN: FileCheck %s --check-prefix=PAIRS < %t/p.schedule.mlir
// RUN: dlc compile %s --precision=bf16 --optimizer=sgd --emit=schedule --triple=x86_64-linux-gnu --cpu=cooperlake -o %t
// RUN: FileCheck %s --check-prefix=NONE < %t/p.schedule.mlir
// RUN: dlc compile %s --precision=tf32 --optimizer=sgd --emit=schedule --triple=x86_64-linux-gnu --cpu=znver4 -o %t
// RUN: FileCheck %s --check-prefix=NONE < %t/p.schedule.mlir

// The loops of a convolution are images, lines, positions and output channels, then the window's reductions, the channels
// first or last; those of the gradient by its weight: the weight's dims, then the images, whose windows move.
// PAIRS-DAG: train.kernel @conv_relu_compare_select_cast {{.*}} reduction = <pairs = 4>
// PAIRS-DAG: train.kernel @conv_weight_gradient_plain_sgd {{.*}} reduction = <pairs = 4>
// The columns of a product of 1024 rows are copied, so that pairs lie side by side, and in the gradient of its weight
// the rows, too.
// PAIRS-DAG: train.kernel @matmul_mul_add_cast {{.*}} reduction = <pairs = 2> {{.*}}packing = <columns = 1
// PAIRS-DAG: train.kernel @matmul_plain_sgd_6 {{.*}} reduction = <pairs = 2> {{.*}} rows = 1>
// PAIRS-DAG: train.kernel @matmul_exp_cast schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 5, vectors = 2>>,
// NONE-NOT: pairs
train.program @p {
  train.state parameter @window : tensor<32x16x3x3xf32> = dense<0.1>
  train.state parameter @w : tensor<512x64xf32> = dense<0.1>
  train.state parameter @odd : tensor<63x32xf32> = dense<0.1>
  train.input @image : tensor<4x16x12x12xf32>
  train.input @x : tensor<1024x512xf32>
  train.input @y : tensor<5x63xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %image = train.read @image : tensor<4x16x12x12xf32>
    %window = train.read @window : tensor<32x16x3x3xf32>
    %0 = nn.conv %image, %window strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
       : tensor<4x16x12x12xf32>, tensor<32x16x3x3xf32>
    %1 = nn.relu %0 : tensor<4x32x10x10xf32>
    %a = nn.sum %1 axes [0, 1, 2, 3] : tensor<4x32x10x10xf32>
    %x = train.read @x : tensor<1024x512xf32>
    %w = train.read @w : tensor<512x64xf32>
    %2 = nn.matmul %x, %w : tensor<1024x512xf32>, tensor<512x64xf32>
    %3 = nn.mul %2, %2 : tensor<1024x64xf32>, tensor<1024x64xf32>
    %b = nn.sum %3 axes [0, 1] : tensor<1024x64xf32>
    %y = train.read @y : tensor<5x63xf32>
    %odd = train.read @odd : tensor<63x32xf32>
    %4 = nn.matmul %y, %odd : tensor<5x63xf32>, tensor<63x32xf32>
    %5 = nn.exp %4 : tensor<5x32xf32>
    %c = nn.sum %5 axes [0, 1] : tensor<5x32xf32>
    %6 = nn.add %a, %b : tensor<f32>, tensor<f32>
    %loss = nn.add %6, %c : tensor<f32>, tensor<f32>
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
  }
}
