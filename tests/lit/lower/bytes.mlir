// Bytes are i8 in loop nests, whose scalar operations say that they have no sign; constants keep their type.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-verify-lower | FileCheck %s

// CHECK: train.state constant @[[C:.*]] : tensor<3xui8> = dense<[0, 128, 255]>
// CHECK: train.input @x : tensor<4x3xui8>
// CHECK: train.read @[[C]] : tensor<3xi8>
// CHECK: train.read @x : tensor<4x3xi8>
// CHECK: linalg.generic {doc = "cast"
// CHECK: arith.uitofp %{{.*}} : i8 to f32
// CHECK: linalg.generic {doc = "compare"
// CHECK: arith.cmpi ult, {{.*}} : i8
// CHECK: linalg.generic {doc = "select"
// CHECK: arith.constant -56 : i8
// CHECK: linalg.generic {doc = "cast"
// CHECK: %[[WHOLE:.*]] = arith.fptosi %{{.*}} : f32 to i32
// CHECK: arith.trunci %[[WHOLE]] : i32 to i8
// CHECK: train.write %{{.*}}, @bytes : tensor<4x3xi8>
train.program @p {
  train.input @x : tensor<4x3xui8>
  train.output prediction @y : tensor<4x3xf32>
  train.output prediction @chosen : tensor<4x3xui8>
  train.output prediction @bytes : tensor<4x3xui8>
  train.function predict @predict {
    %c = nn.constant dense<[0, 128, 255]> : tensor<3xui8>
    %most = nn.constant dense<200> : tensor<ui8>
    %x = train.read @x : tensor<4x3xui8>
    %y = nn.cast %x to f32 : tensor<4x3xui8>
    %less = nn.compare lt %x, %c : tensor<4x3xui8>, tensor<3xui8>
    %chosen = nn.select %less, %x, %most : tensor<4x3xi1>, tensor<4x3xui8>, tensor<ui8>
    %bytes = nn.cast %y to ui8 : tensor<4x3xf32>
    train.write %y, @y : tensor<4x3xf32>
    train.write %chosen, @chosen : tensor<4x3xui8>
    train.write %bytes, @bytes : tensor<4x3xui8>
  }
}
