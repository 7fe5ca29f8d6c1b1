// On a GPU, a product with few tiles of results becomes partial products, which all multiprocessors share, and their sum.
// RUN: dlc compile %s --target=nvptx --emit=schedule -o %t && FileCheck %s --input-file=%t/p.schedule.mlir

// 36 tiles of 128 x 128 become 72, of half the width 144.
// CHECK: train.kernel @matmul schedule({{.*}}grid = 144
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x1024x768xf32>, tensor<2x1024x768xf32>) outs(%{{.*}} : tensor<2x768x768xf32>)
// Parts are summed up in order.
// CHECK: train.kernel @matmul_0 schedule(#cuda.schedule<#cuda.points
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<2x589824xf32>) outs(%{{.*}} : tensor<589824xf32>)
// Sums of columns are shared, too: of 768 columns, in 64 parts of rows.
// CHECK: train.kernel @sum{{.*}} schedule(#cuda.schedule<#cuda.points
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<64x32x768xf32>) outs(%{{.*}} : tensor<64x768xf32>)
// Enough tiles.
// CHECK: train.kernel @matmul_{{[0-9]+}}
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2048x768xf32>, tensor<768x768xf32>)
// Sums that are not worth a second kernel.
// CHECK: train.kernel @matmul_{{[0-9]+}}
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<128x64xf32>, tensor<128x64xf32>)
// The products of an attention stay in its kernel.
// CHECK: train.kernel @matmul_softmax schedule(#cuda.schedule<#cuda.attention
// CHECK-LABEL: train.function
train.program @p {
  train.input @x : tensor<2048x768xf32>
  train.input @dy : tensor<2048x768xf32>
  train.state parameter @w : tensor<768x768xf32>
  train.input @a : tensor<128x64xf32>
  train.input @b : tensor<128x64xf32>
  train.input @q : tensor<2x4096x64xf32>
  train.input @k : tensor<2x4096x64xf32>
  train.input @v : tensor<2x4096x64xf32>
  train.output prediction @dw : tensor<768x768xf32>
  train.output prediction @y : tensor<2048x768xf32>
  train.output prediction @c : tensor<64x64xf32>
  train.output prediction @sum : tensor<768xf32>
  train.output prediction @attended : tensor<2x4096x64xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2048x768xf32>
    %dy = train.read @dy : tensor<2048x768xf32>
    %dw = nn.matmul %x, %dy transpose_a : tensor<2048x768xf32>, tensor<2048x768xf32>
    train.write %dw, @dw : tensor<768x768xf32>
    %sum = nn.sum %dy axes [0] : tensor<2048x768xf32>
    train.write %sum, @sum : tensor<768xf32>
    %w = train.read @w : tensor<768x768xf32>
    %y = nn.matmul %x, %w : tensor<2048x768xf32>, tensor<768x768xf32>
    train.write %y, @y : tensor<2048x768xf32>
    %a = train.read @a : tensor<128x64xf32>
    %b = train.read @b : tensor<128x64xf32>
    %c = nn.matmul %a, %b transpose_a : tensor<128x64xf32>, tensor<128x64xf32>
    train.write %c, @c : tensor<64x64xf32>
    %q = train.read @q : tensor<2x4096x64xf32>
    %k = train.read @k : tensor<2x4096x64xf32>
    %v = train.read @v : tensor<2x4096x64xf32>
    %scores = nn.matmul %q, %k transpose_b : tensor<2x4096x64xf32>, tensor<2x4096x64xf32>
    %shares = nn.softmax %scores axis 2 : tensor<2x4096x4096xf32>
    %attended = nn.matmul %shares, %v : tensor<2x4096x4096xf32>, tensor<2x4096x64xf32>
    train.write %attended, @attended : tensor<2x4096x64xf32>
  }
}
