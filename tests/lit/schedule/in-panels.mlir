// Where the rows of a product lie in panels as they are, its chunks copy columns alone, and are few: each has room for its
// copies where memory is fullest. Rows that are copied in blocks take eight times the room.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg \
// RUN:   --dlc-recompute-forward --dlc-fuse=panel-width=32 --dlc-schedule-cpu=cpu=x86-64-v4 \
// RUN:   --dlc-verify-schedule | FileCheck %s
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward --dlc-decompose --dlc-nn-to-linalg \
// RUN:   --dlc-recompute-forward --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 \
// RUN:   --dlc-verify-schedule | FileCheck %s --check-prefix=ROWS

// CHECK: train.kernel @matmul_plain_sgd schedule({{.*}} packing = <columns = 1> prefetch = <rows = true{{.*}}> epilogue = <pipeline{{.*}} split = <loop = 1, size = 64, chunks = 6> scratch = 131072
// ROWS: train.kernel @matmul_plain_sgd schedule({{.*}} packing = <{{.*}}rows = 1>{{.*}} scratch = 1051136
train.program @p {
  train.input @x : tensor<1024x384xf32>
  train.input target @t : tensor<1024x384xf32>
  train.state parameter @w : tensor<384x1536xf32> = dense<0.1>
  train.state parameter @v : tensor<1536x384xf32> = dense<0.1>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<1024x384xf32>
    %t = train.read @t : tensor<1024x384xf32>
    %w = train.read @w : tensor<384x1536xf32>
    %v = train.read @v : tensor<1536x384xf32>
    %p = nn.matmul %x, %w : tensor<1024x384xf32>, tensor<384x1536xf32>
    %s = nn.mul %p, %p : tensor<1024x1536xf32>, tensor<1024x1536xf32>
    %y = nn.matmul %s, %v : tensor<1024x1536xf32>, tensor<1536x384xf32>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<1024x384xf32>, tensor<1024x384xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
