// Along eight columns, vectors of sixteen lanes would be half empty: where the table of costs says so, they have eight,
// and need no mask. More columns, and sums along a row, whose order would change, have sixteen.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=graniterapids --dlc-fuse --dlc-schedule-cpu=cpu=graniterapids | FileCheck %s --check-prefix=HALF
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=znver4 --dlc-fuse --dlc-schedule-cpu=cpu=znver4 | FileCheck %s --check-prefix=HALF
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 | FileCheck %s --check-prefix=WHOLE

// HALF: train.kernel @matmul_relu {{.*}}#cpu.contraction<{{.*}}>, lanes = 8
// HALF: train.kernel @matmul_relu_0 {{.*}}#cpu.contraction<{{.*}}>, lanes = 16
// HALF: train.kernel @sum {{.*}}#cpu.columns<{{.*}}>, lanes = 8
// HALF: train.kernel @softmax {{.*}}, lanes = 16
// WHOLE: train.kernel @matmul_relu {{.*}}#cpu.contraction<{{.*}}>, lanes = 16
// WHOLE: train.kernel @matmul_relu_0 {{.*}}#cpu.contraction<{{.*}}>, lanes = 16
// WHOLE: train.kernel @sum {{.*}}#cpu.columns<{{.*}}>, lanes = 16
// WHOLE: train.kernel @softmax {{.*}}, lanes = 16
train.program @p {
  train.input @x : tensor<500x16xf32>
  train.input @few : tensor<16x8xf32>
  train.input @more : tensor<16x9xf32>
  train.input @narrow : tensor<500x8xf32>
  train.input @rows : tensor<20x8xf32>
  train.output prediction @a : tensor<500x8xf32>
  train.output prediction @b : tensor<500x9xf32>
  train.output prediction @c : tensor<8xf32>
  train.output prediction @d : tensor<20x8xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<500x16xf32>
    %few = train.read @few : tensor<16x8xf32>
    %0 = nn.matmul %x, %few : tensor<500x16xf32>, tensor<16x8xf32>
    %a = nn.relu %0 : tensor<500x8xf32>
    train.write %a, @a : tensor<500x8xf32>
    %more = train.read @more : tensor<16x9xf32>
    %1 = nn.matmul %x, %more : tensor<500x16xf32>, tensor<16x9xf32>
    %b = nn.relu %1 : tensor<500x9xf32>
    train.write %b, @b : tensor<500x9xf32>
    %narrow = train.read @narrow : tensor<500x8xf32>
    %c = nn.sum %narrow axes [0] : tensor<500x8xf32>
    train.write %c, @c : tensor<8xf32>
    %rows = train.read @rows : tensor<20x8xf32>
    %d = nn.softmax %rows axis 1 : tensor<20x8xf32>
    train.write %d, @d : tensor<20x8xf32>
  }
}
