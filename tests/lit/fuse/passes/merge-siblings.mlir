// The sum of a tensor and that of its squares read it once; a sum over other loops reads it again.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-inline-producers --dlc-merge-siblings | FileCheck %s

// CHECK-LABEL: train.function predict
// CHECK: linalg.generic {doc = "sum mul", {{.*}} ins(%{{.*}} : tensor<64x16xf32>) outs(%{{.*}} : tensor<16xf32>, tensor<16xf32>)
// CHECK: linalg.generic {doc = "sum", {{.*}} outs(%{{.*}} : tensor<64xf32>)
// CHECK-NOT: linalg.generic
train.program @p {
  train.input @x : tensor<64x16xf32>
  train.output prediction @a : tensor<16xf32>
  train.output prediction @b : tensor<16xf32>
  train.output prediction @c : tensor<64xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<64x16xf32>
    %a = nn.sum %x axes [0] : tensor<64x16xf32>
    %q = nn.mul %x, %x : tensor<64x16xf32>, tensor<64x16xf32>
    %b = nn.sum %q axes [0] : tensor<64x16xf32>
    %c = nn.sum %x axes [1] : tensor<64x16xf32>
    train.write %a, @a : tensor<16xf32>
    train.write %b, @b : tensor<16xf32>
    train.write %c, @c : tensor<64xf32>
  }
}
