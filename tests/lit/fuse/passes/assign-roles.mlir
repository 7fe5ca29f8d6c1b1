// An attention's kernel says what each of its nests does, which schedule and codegen read.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-fuse=attentions=true | FileCheck %s
// Without roles, a kernel of the same nests is like any other.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-fuse=attentions=true --dlc-schedule-gpu | FileCheck %s --check-prefix=GPU
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-fuse | FileCheck %s --check-prefix=NONE

// CHECK: train.role = #train.role<scores, loops [0, 1, 2, 3]>
// CHECK: train.role = #train.role<mask, loops [0, 1, 2]>
// CHECK: train.role = #train.role<row_max, loops [0, 1, 2]>
// CHECK: train.role = #train.role<exponentials, loops [0, 1, 2]>
// CHECK: train.role = #train.role<row_sum, loops [0, 1, 2]>
// CHECK: train.role = #train.role<row_factor, loops [0, 1]>
// CHECK: train.role = #train.role<probabilities, loops [0, 1, 2]>
// CHECK: train.role = #train.role<values, loops [0, 1, -1, 2]>
// GPU: #cuda.attention
// NONE-NOT: train.role
train.program @p {
  train.input @q : tensor<24x256x64xf32>
  train.input @k : tensor<24x64x256xf32>
  train.input @v : tensor<24x256x64xf32>
  train.output prediction @y : tensor<24x256x64xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<24x256x64xf32>
    %k = train.read @k : tensor<24x64x256xf32>
    %v = train.read @v : tensor<24x256x64xf32>
    %rows = nn.iota axis 0 : tensor<256x1xi64>
    %columns = nn.iota axis 1 : tensor<1x256xi64>
    %sees = nn.compare le %columns, %rows : tensor<1x256xi64>, tensor<256x1xi64>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %s = nn.matmul %q, %k : tensor<24x256x64xf32>, tensor<24x64x256xf32>
    %m = nn.select %sees, %s, %never : tensor<256x256xi1>, tensor<24x256x256xf32>, tensor<f32>
    %p = nn.softmax %m axis 2 : tensor<24x256x256xf32>
    %y = nn.matmul %p, %v : tensor<24x256x256xf32>, tensor<24x256x64xf32>
    train.write %y, @y : tensor<24x256x64xf32>
  }
}
