// Where the steps of a long reduction lie far apart in memory, operands are copied into panels: columns for all rows,
// rows in blocks that a cache holds; or all rows, and columns panel by panel, where rows are fewer: then chunks share
// the rows. Columns that are copied alone are copied panel by panel, too. A reduction that is longer still is cut; its
// sums wait in scratch where the kernel does not yield them. What would be read across vectors is transposed while it
// is copied. Tiles fetch the next one's rows, where all rows are more than the second-level cache holds beside others.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-verify-layout --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 --dlc-verify-schedule | FileCheck %s

// CHECK: train.kernel @matmul schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> packing = <columns = 1, rows = 0> prefetch = <rows = true>>, lanes = 16 split = <loop = 0, size = 64, chunks = 4> scratch = 394240>
// CHECK: train.kernel @matmul_relu schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> nest = [<loop = 2, size = 1024>, <loop = 0, size = 128>] packing = <columns = 1, rows = 2>>, lanes = 16 split = <loop = 1, size = 128, chunks = 4>
// CHECK: train.kernel @matmul_0 schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> packing = <columns = 1> prefetch = <rows = true>>, lanes = 16 split = <loop = 1, size = 64, chunks = 16> scratch = 131072>
// CHECK: train.kernel @matmul_1 schedule(#cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> nest = [<loop = 0, size = 128>] packing = <columns = 0, rows = 1>>
// CHECK-NOT: train.kernel @layout
train.program @p {
  train.input @x : tensor<1024x256xf32>
  train.input @dy : tensor<1024x512xf32>
  train.input @u : tensor<4096x256xf32>
  train.input @v : tensor<4096x512xf32>
  train.input @a : tensor<256x1024xf32>
  train.input @w : tensor<1024x1024xf32>
  train.output prediction @dw : tensor<256x512xf32>
  train.output prediction @r : tensor<256x512xf32>
  train.output prediction @c : tensor<256x1024xf32>
  train.output prediction @d : tensor<512x256xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<1024x256xf32>
    %dy = train.read @dy : tensor<1024x512xf32>
    %dw = nn.matmul %x, %dy transpose_a : tensor<1024x256xf32>, tensor<1024x512xf32>
    train.write %dw, @dw : tensor<256x512xf32>
    %u = train.read @u : tensor<4096x256xf32>
    %v = train.read @v : tensor<4096x512xf32>
    %0 = nn.matmul %u, %v transpose_a : tensor<4096x256xf32>, tensor<4096x512xf32>
    %r = nn.relu %0 : tensor<256x512xf32>
    train.write %r, @r : tensor<256x512xf32>
    %a = train.read @a : tensor<256x1024xf32>
    %w = train.read @w : tensor<1024x1024xf32>
    %c = nn.matmul %a, %w transpose_b : tensor<256x1024xf32>, tensor<1024x1024xf32>
    train.write %c, @c : tensor<256x1024xf32>
    %d = nn.matmul %dy, %x transpose_a : tensor<1024x512xf32>, tensor<1024x256xf32>
    train.write %d, @d : tensor<512x256xf32>
  }
}
