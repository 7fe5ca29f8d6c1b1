// A weight lies in memory so that its vectors are full: wide layers as [in][out], a head with few outputs as
// [out][in], which the forward product then reads through a copy.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-verify-layout | FileCheck %s

// CHECK: train.state parameter @wide layout <[1, 0]> : tensor<64x32xf32>
// CHECK: train.state parameter @head : tensor<10x64xf32>
// CHECK-LABEL: train.function predict @predict
// CHECK: train.read @wide : tensor<32x64xf32>
// CHECK: %[[HEAD:.*]] = train.read @head : tensor<10x64xf32>
// CHECK: %[[COPY:.*]] = linalg.generic {doc = "layout"{{.*}} ins(%[[HEAD]] : tensor<10x64xf32>) outs(%{{.*}} : tensor<64x10xf32>)
// CHECK: linalg.generic {doc = "matmul"{{.*}}, %[[COPY]] :
train.program @p {
  train.state parameter @wide : tensor<64x32xf32>
  train.state parameter @head : tensor<10x64xf32>
  train.input @x : tensor<16x32xf32>
  train.output prediction @y : tensor<16x10xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<16x32xf32>
    %wide = train.read @wide : tensor<64x32xf32>
    %h = nn.matmul %x, %wide transpose_b : tensor<16x32xf32>, tensor<64x32xf32>
    %head = train.read @head : tensor<10x64xf32>
    %y = nn.matmul %h, %head transpose_b : tensor<16x64xf32>, tensor<10x64xf32>
    train.write %y, @y : tensor<16x10xf32>
  }
}
