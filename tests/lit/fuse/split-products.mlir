// The gradient of a weight of few elements becomes partial gradients, which all threads share, and their sum.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-fuse --dlc-verify-fuse --dlc-schedule-cpu=cpu=x86-64-v4 | FileCheck %s

// Two images are a part; it is still known which products are with padding.
// CHECK: train.kernel @conv_weight_gradient_0 schedule({{.*}}#cpu.contraction{{.*}} split = <loop = 0, size = 1, chunks = 48>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<48x2x2x18x18xf32>, tensor<48x2x16x16x32xf32>) outs(%{{.*}} : tensor<48x2x3x3x32xf32>) attrs = {{.*}}nonzero
// Parts are summed up in order.
// CHECK: train.kernel @conv_weight_gradient_1 schedule(#cpu.schedule<#cpu.columns
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<48x576xf32>) outs(%{{.*}} : tensor<576xf32>)

// Results enough to share.
// CHECK: train.kernel @conv_weight_gradient_{{[0-9]+}} schedule({{.*}}#cpu.contraction
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x3x3x32xf32>)
// CHECK-LABEL: train.function predict
train.program @p {
  train.input @x : tensor<96x2x16x16xf32>
  train.input @dy : tensor<96x32x16x16xf32>
  train.input @deep : tensor<96x8x16x16xf32>
  train.output prediction @dw : tensor<32x2x3x3xf32>
  train.output prediction @more : tensor<32x8x3x3xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<96x2x16x16xf32>
    %dy = train.read @dy : tensor<96x32x16x16xf32>
    %dw = nn.conv_weight_gradient %x, %dy kernel [3, 3] strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1
        : tensor<96x2x16x16xf32>, tensor<96x32x16x16xf32>
    train.write %dw, @dw : tensor<32x2x3x3xf32>
    %deep = train.read @deep : tensor<96x8x16x16xf32>
    %more = nn.conv_weight_gradient %deep, %dy kernel [3, 3] strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1
        : tensor<96x8x16x16xf32>, tensor<96x32x16x16xf32>
    train.write %more, @more : tensor<32x8x3x3xf32>
  }
}
