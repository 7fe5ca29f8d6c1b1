// bf16 is a type of tensors; tf32 is f32 whose numbers were rounded, away from zero where two are as near.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-verify-lower | FileCheck %s

// CHECK-LABEL: train.program @low
// CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<4x6xf32>) outs(%{{.+}} : tensor<4x6xbf16>)
// CHECK: arith.truncf %{{.+}} : f32 to bf16
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<4x6xbf16>, tensor<4x6xbf16>) outs(%{{.+}} : tensor<4x4xf32>)
// CHECK: arith.extf %{{.+}} : bf16 to f32
// CHECK: arith.extf %{{.+}} : bf16 to f32
// CHECK: arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<4x6xf32>) outs(%{{.+}} : tensor<4x6xf32>)
// CHECK: %[[T:.+]] = arith.truncf %{{.+}} to_nearest_away : f32 to tf32
// CHECK: %[[F:.+]] = arith.extf %[[T]] : tf32 to f32
// CHECK: linalg.yield %[[F]] : f32
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<4x6xf32>, tensor<4x6xf32>) outs(%{{.+}} : tensor<4x4xf32>)
train.program @low {
  train.input @x : tensor<4x6xf32>
  train.output prediction @y : tensor<4x4xf32>
  train.output prediction @z : tensor<4x4xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<4x6xf32>
    %0 = nn.cast %x to bf16 : tensor<4x6xf32>
    %1 = nn.matmul %0, %0 transpose_b wide : tensor<4x6xbf16>, tensor<4x6xbf16>
    %2 = nn.cast %x to tf32 : tensor<4x6xf32>
    %3 = nn.matmul %2, %2 transpose_b wide : tensor<4x6xtf32>, tensor<4x6xtf32>
    train.write %1, @y : tensor<4x4xf32>
    train.write %3, @z : tensor<4x4xf32>
  }
}
