// Where one loop has too few chunks, several are cut: the outer loops of rows and of a transpose, and, of a product whose
// columns make three chunks, the rows too. Each part of the rows is a multiple of their block.
// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 | FileCheck %s

// CHECK: train.kernel @add_softmax {{.*}}#cpu.rows<{{.*}}split = <loop = 0, size = 1, chunks = 4>, <loop = 1, size = 16, chunks = 16>
// CHECK: train.kernel @transpose {{.*}}#cpu.transpose, lanes = 16 split = <loop = 0, size = 1, chunks = 4>, <loop = 1, size = 32, chunks = 12>
// CHECK: train.kernel @matmul_relu {{.*}}nest = [<loop = 0, size = 128>] packing = <columns = 0, rows = 1>{{.*}}split = <loop = 0, size = 768, chunks = 2>, <loop = 1, size = 128, chunks = 3>
// Sums that wait in scratch have a single loop outside.
// CHECK: train.kernel @matmul_relu_0 {{.*}}nest = [<loop = 2, size = {{.*}}split = <loop = 1, size = 128, chunks = 3> scratch
train.program @p {
  train.input @x : tensor<4x256x384xf32>
  train.input @bias : tensor<256x384xf32>
  train.input @a : tensor<1024x1536xf32>
  train.input @b : tensor<1024x384xf32>
  train.input @c : tensor<4096x1536xf32>
  train.input @d : tensor<4096x384xf32>
  train.output prediction @y : tensor<4x256x384xf32>
  train.output prediction @t : tensor<4x384x256xf32>
  train.output prediction @p : tensor<1536x384xf32>
  train.output prediction @q : tensor<1536x384xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<4x256x384xf32>
    %bias = train.read @bias : tensor<256x384xf32>
    %z = nn.add %x, %bias : tensor<4x256x384xf32>, tensor<256x384xf32>
    %y = nn.softmax %z axis 2 : tensor<4x256x384xf32>
    train.write %y, @y : tensor<4x256x384xf32>
    %t = nn.transpose %x [0, 2, 1] : tensor<4x256x384xf32>
    train.write %t, @t : tensor<4x384x256xf32>
    %a = train.read @a : tensor<1024x1536xf32>
    %b = train.read @b : tensor<1024x384xf32>
    %0 = nn.matmul %a, %b transpose_a : tensor<1024x1536xf32>, tensor<1024x384xf32>
    %p = nn.relu %0 : tensor<1536x384xf32>
    train.write %p, @p : tensor<1536x384xf32>
    %c = train.read @c : tensor<4096x1536xf32>
    %d = train.read @d : tensor<4096x384xf32>
    %1 = nn.matmul %c, %d transpose_a : tensor<4096x1536xf32>, tensor<4096x384xf32>
    %q = nn.relu %1 : tensor<1536x384xf32>
    train.write %q, @q : tensor<1536x384xf32>
  }
}
