// A product with one tile of results and long sums becomes partial sums, and a sum of these, where many tiles are
// computed at once.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-split-products=tiles-at-once=132 | FileCheck %s
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-split-products=tiles-at-once=1 | FileCheck %s --check-prefix=WHOLE

// CHECK: tensor.expand_shape
// CHECK: linalg.generic {doc = "matmul", {{.*}} outs(%{{.*}} : tensor<[[PARTS:[0-9]+]]x128x128xf32>)
// CHECK: linalg.generic {doc = "matmul", {{.*}} ins(%{{.*}} : tensor<[[PARTS]]x128x128xf32>) outs(%{{.*}} : tensor<128x128xf32>)
// WHOLE-NOT: tensor.expand_shape
train.program @p {
  train.input @a : tensor<128x262144xf32>
  train.input @b : tensor<262144x128xf32>
  train.output prediction @y : tensor<128x128xf32>
  train.function predict @predict {
    %a = train.read @a : tensor<128x262144xf32>
    %b = train.read @b : tensor<262144x128xf32>
    %y = nn.matmul %a, %b : tensor<128x262144xf32>, tensor<262144x128xf32>
    train.write %y, @y : tensor<128x128xf32>
  }
}
