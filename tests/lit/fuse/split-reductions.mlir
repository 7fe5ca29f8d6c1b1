// Long reductions with few results become partial results, of at most 64 parts of a loop, and what combines them.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 | FileCheck %s --check-prefix=CHUNKS

// A part is what one iteration of the outer loop has: 32 parts of 1024 steps, then 32 sums of 64 numbers.
// CHECK: train.kernel @sum
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]{{.*}} ins(%{{.*}} : tensor<32x1024x64xf32>) outs(%{{.*}} : tensor<32x64xf32>)
// CHECK: train.kernel @sum_mul
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<32x64xf32>) outs(%{{.*}} : tensor<64xf32>)
// CHECK: train.function predict
// The whole of a matrix: 64 parts of 16 rows.
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [64, 16, 512] : tensor<1024x512xf32> into tensor<64x16x512xf32>

// Enough results to share; few elements; no divisor that would do.
// CHECK-NOT: tensor.expand_shape
// CHECK: train.launch {{.*}}tensor<1024x768xf32>{{.*}} -> tensor<768xf32>
// CHECK: train.launch {{.*}}tensor<500x200xf32>{{.*}} -> tensor<200xf32>
// CHECK: train.launch {{.*}}tensor<131101x3xf32>{{.*}} -> tensor<3xf32>

// Every part is a chunk.
// CHUNKS: train.kernel @sum schedule(#cpu.schedule<#cpu.columns<vectors = 4>, lanes = 16 split = <loop = 0, size = 1, chunks = 32>
// CHUNKS: #cpu.rows<{{.*}} split = <loop = 0, size = 1, chunks = 64>
train.program @p {
  train.input @image : tensor<32x1024x64xf32>
  train.input @matrix : tensor<1024x512xf32>
  train.input @wide : tensor<1024x768xf32>
  train.input @small : tensor<500x200xf32>
  train.input @prime : tensor<131101x3xf32>
  train.output prediction @a : tensor<64xf32>
  train.output prediction @b : tensor<f32>
  train.output prediction @c : tensor<768xf32>
  train.output prediction @d : tensor<200xf32>
  train.output prediction @e : tensor<3xf32>
  train.function predict @predict {
    %image = train.read @image : tensor<32x1024x64xf32>
    %0 = nn.sum %image axes [0, 1] : tensor<32x1024x64xf32>
    %1 = nn.mul %0, %0 : tensor<64xf32>, tensor<64xf32>
    train.write %1, @a : tensor<64xf32>
    %matrix = train.read @matrix : tensor<1024x512xf32>
    %2 = nn.sum %matrix axes [0, 1] : tensor<1024x512xf32>
    train.write %2, @b : tensor<f32>
    %wide = train.read @wide : tensor<1024x768xf32>
    %3 = nn.sum %wide axes [0] : tensor<1024x768xf32>
    train.write %3, @c : tensor<768xf32>
    %small = train.read @small : tensor<500x200xf32>
    %4 = nn.sum %small axes [0] : tensor<500x200xf32>
    train.write %4, @d : tensor<200xf32>
    %prime = train.read @prime : tensor<131101x3xf32>
    %5 = nn.sum %prime axes [0] : tensor<131101x3xf32>
    train.write %5, @e : tensor<3xf32>
  }
}
