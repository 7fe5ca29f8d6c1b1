// Steps of a kernel say which iterations count, where a causal mask hides the others.
// DEFINE: %{kernels} = dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-inline-producers --dlc-group-loop-nests --dlc-outline-kernels --dlc-merge-loop-nests
// RUN: %{kernels} | FileCheck %s --check-prefix=BEFORE
// RUN: %{kernels} --dlc-leave-out-masked | FileCheck %s

// BEFORE: train.kernel @kernel attributes {shared = 1 : i64, steps = array<i64: 2, 5, 1>}
// BEFORE-NOT: train.nonzero
// CHECK-DAG: #[[ROW:.*]] = affine_set<(d0, d1, d2) : (d1 - d2 >= 0)>
// CHECK: train.kernel @kernel attributes {shared = 1 : i64, steps = array<i64: 2, 5, 1>}
// CHECK-COUNT-5: train.nonzero = #[[ROW]]
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
