// Tiles of a convolution fetch the next image while they work on one, each its share: where images are so far away
// that they have to come from memory, and two of them fit the second-level cache. The gradient by the weight fetches
// both of its operands. On Intel's cores a prefetch costs as much as a load, and nothing is fetched.
// RUN: dlc compile %s --loss=mse --optimizer=sgd --momentum=0 --cpu=znver4 --emit=schedule | FileCheck %s
// RUN: dlc compile %s --loss=mse --optimizer=sgd --momentum=0 --cpu=sapphirerapids --emit=schedule | FileCheck %s --check-prefix=INTEL
// RUN: dlc compile %s --loss=mse --optimizer=sgd --momentum=0 --cpu=znver4 --emit=llvm -o %t
// RUN: FileCheck %s --check-prefix=CODE < %t/p.conv.ll

// CHECK: train.kernel @conv schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 3, row = 2, rows = 8, vectors = 2> nest = [<loop = 0, size = 1>, <loop = 1, size = 1>] prefetch = <next = 0, lines = [4, 0]>>, lanes = 16 split = <loop = 0
// CHECK: train.kernel @conv_weight_gradient_plain_sgd schedule(#cpu.schedule<#cpu.contraction<{{.*}} prefetch = <next = 4, lines = [4, 7]>>, lanes = 16 split = <loop = 2
// INTEL-NOT: next =
// CODE-COUNT-4: call void @llvm.prefetch
// CODE-NOT: call void @llvm.prefetch
train.program @p {
  train.input @x : tensor<32x1x28x28xf32>
  train.state parameter @v : tensor<32x1x3x3xf32> = dense<0.1>
  train.state parameter @w : tensor<64x32x3x3xf32> = dense<0.1>
  train.output prediction @y : tensor<32x64x24x24xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<32x1x28x28xf32>
    %v = train.read @v : tensor<32x1x3x3xf32>
    %0 = nn.conv %x, %v strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<32x1x28x28xf32>, tensor<32x1x3x3xf32>
    %1 = nn.relu %0 : tensor<32x32x26x26xf32>
    %w = train.read @w : tensor<64x32x3x3xf32>
    %y = nn.conv %1, %w strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
        : tensor<32x32x26x26xf32>, tensor<64x32x3x3xf32>
    train.write %y, @y : tensor<32x64x24x24xf32>
  }
}
