// Operands of products become low, their sums stay f32, and moves before a product move low elements.
// RUN: dlc-opt %s --dlc-recipe=set=precision=bf16 --dlc-set-precision --dlc-verify-forward | FileCheck %s
// RUN: dlc-opt %s --dlc-recipe=set=precision=tf32 --dlc-set-precision --dlc-verify-forward | FileCheck %s --check-prefix=TF32

// CHECK: train.program @model precision bf16
// CHECK-LABEL: forward @forward
// CHECK: %[[X:.+]] = train.read @x : tensor<4x6xf32>
// CHECK: %[[W:.+]] = train.read @w : tensor<6x6xf32>
// The cast goes before the moves that the product alone reads,
// CHECK: %[[T:.+]] = nn.cast %{{.+}} to bf16
// CHECK: %[[R:.+]] = nn.reshape %[[T]] : tensor<24xbf16> -> tensor<6x4xbf16>
// CHECK: %[[V:.+]] = nn.reverse %[[R]] axes [0] : tensor<6x4xbf16>
// CHECK: %[[LX:.+]] = nn.cast %[[X]] to bf16
// CHECK: nn.matmul %[[LX]], %[[V]] wide : tensor<4x6xbf16>, tensor<6x4xbf16>
// but not before those that others read as well.
// CHECK: %[[S:.+]] = nn.transpose %[[W]] [1, 0] : tensor<6x6xf32>
// CHECK: nn.relu %[[S]] : tensor<6x6xf32>
// Each product has casts of its own.
// CHECK: %[[AGAIN:.+]] = nn.cast %[[X]] to bf16
// CHECK: %[[LS:.+]] = nn.cast %[[S]] to bf16
// CHECK: %[[Y:.+]] = nn.matmul %[[AGAIN]], %[[LS]] wide
// All else is f32.
// CHECK: nn.softmax %[[Y]] axis 1 : tensor<4x6xf32>
// Products of integers stay.
// CHECK: nn.matmul %{{.+}}, %{{.+}} : tensor<2x2xi64>, tensor<2x2xi64>
// CHECK-LABEL: evaluate @evaluate
// CHECK: nn.matmul %{{.+}}, %{{.+}} wide : tensor<4x6xbf16>, tensor<6x6xbf16>

// TF32: nn.reverse %{{.+}} axes [0] : tensor<6x4xtf32>
// TF32: nn.matmul %{{.+}}, %{{.+}} wide : tensor<4x6xtf32>, tensor<6x4xtf32>
train.program @model {
  train.input @x : tensor<4x6xf32>
  train.input @v : tensor<24xf32>
  train.input @i : tensor<2x2xi64>
  train.state parameter @w : tensor<6x6xf32>
  train.output prediction @y : tensor<4x6xf32>
  train.output prediction @z : tensor<4x4xf32>
  train.output prediction @r : tensor<6x6xf32>
  train.output prediction @j : tensor<2x2xi64>
  train.function forward @forward {
    %x = train.read @x : tensor<4x6xf32>
    %v = train.read @v : tensor<24xf32>
    %w = train.read @w : tensor<6x6xf32>
    %0 = nn.reshape %v : tensor<24xf32> -> tensor<6x4xf32>
    %1 = nn.reverse %0 axes [0] : tensor<6x4xf32>
    %2 = nn.matmul %x, %1 : tensor<4x6xf32>, tensor<6x4xf32>
    %3 = nn.transpose %w [1, 0] : tensor<6x6xf32>
    %4 = nn.relu %3 : tensor<6x6xf32>
    %5 = nn.matmul %x, %3 : tensor<4x6xf32>, tensor<6x6xf32>
    %6 = nn.softmax %5 axis 1 : tensor<4x6xf32>
    %i = train.read @i : tensor<2x2xi64>
    %j = nn.matmul %i, %i : tensor<2x2xi64>, tensor<2x2xi64>
    train.write %6, @y : tensor<4x6xf32>
    train.write %2, @z : tensor<4x4xf32>
    train.write %4, @r : tensor<6x6xf32>
    train.write %j, @j : tensor<2x2xi64>
  }
  train.function evaluate @evaluate {
    %x = train.read @x : tensor<4x6xf32>
    %w = train.read @w : tensor<6x6xf32>
    %0 = nn.matmul %x, %w : tensor<4x6xf32>, tensor<6x6xf32>
    train.write %0, @y : tensor<4x6xf32>
  }
}
