// A sum of a matrix becomes one of each part, and one of the parts. A target of many threads has more of them.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-split-reductions | FileCheck %s
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-split-reductions=threads=true | FileCheck %s --check-prefix=THREADS

// CHECK: tensor.expand_shape %{{.*}} output_shape [64, 64, 1024]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<64xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<64xf32>) outs(%{{.*}} : tensor<f32>)
// THREADS: tensor.expand_shape %{{.*}} output_shape [256, 16, 1024]
train.program @p {
  train.input @x : tensor<4096x1024xf32>
  train.output prediction @y : tensor<f32>
  train.function predict @predict {
    %x = train.read @x : tensor<4096x1024xf32>
    %y = nn.sum %x axes [0, 1] : tensor<4096x1024xf32>
    train.write %y, @y : tensor<f32>
  }
}
