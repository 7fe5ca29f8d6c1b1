// Kernels that take a core seconds are cut into hundreds of chunks, for machines of as many threads; smaller ones into
// no more than balance some dozens.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 | FileCheck %s

// CHECK: train.kernel @matmul {{.*}}chunks = 128>
// CHECK: train.kernel @exp {{.*}}chunks = 256>
// CHECK: train.kernel @exp_0 {{.*}}chunks = 64>
train.program @p {
  train.input @a : tensor<8192x4096xf32>
  train.input @b : tensor<4096x8192xf32>
  train.input @x : tensor<65536x65536xf32>
  train.input @y : tensor<4096x4096xf32>
  train.output prediction @p : tensor<8192x8192xf32>
  train.output prediction @q : tensor<65536x65536xf32>
  train.output prediction @r : tensor<4096x4096xf32>
  train.function predict @predict {
    %a = train.read @a : tensor<8192x4096xf32>
    %b = train.read @b : tensor<4096x8192xf32>
    %p = nn.matmul %a, %b : tensor<8192x4096xf32>, tensor<4096x8192xf32>
    train.write %p, @p : tensor<8192x8192xf32>
    %x = train.read @x : tensor<65536x65536xf32>
    %q = nn.exp %x : tensor<65536x65536xf32>
    train.write %q, @q : tensor<65536x65536xf32>
    %y = train.read @y : tensor<4096x4096xf32>
    %r = nn.exp %y : tensor<4096x4096xf32>
    train.write %r, @r : tensor<4096x4096xf32>
  }
}
