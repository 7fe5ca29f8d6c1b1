// An attention is one kernel on a GPU, whatever its sizes, and no matrix of scores is handed from kernel to kernel
// where nobody asks for one. Blocks of rows and keys follow from its sizes and the type of its elements.
// RUN: dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-fuse=attentions=true --dlc-verify-fuse --dlc-schedule-gpu --dlc-verify-schedule-gpu | FileCheck %s

// With a causal mask, which leaves out half.
// CHECK-LABEL: train.program @causal
// CHECK: train.kernel @{{.*}} schedule(#cuda.schedule<#cuda.attention<rows = 64 keys = 32 steps = 64 columns = 64>, threads = 128 grid = 192>)
// CHECK: linalg.generic {{.*}}nonzero
// CHECK-NOT: train.kernel
train.program @causal {
  train.input @q : tensor<8x6x256x64xf32>
  train.input @k : tensor<8x6x256x64xf32>
  train.input @v : tensor<8x6x256x64xf32>
  train.output prediction @y : tensor<8x6x256x64xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<8x6x256x64xf32>
    %k = train.read @k : tensor<8x6x256x64xf32>
    %v = train.read @v : tensor<8x6x256x64xf32>
    %rows = nn.iota axis 0 : tensor<256x1xi64>
    %columns = nn.iota axis 1 : tensor<1x256xi64>
    %sees = nn.compare le %columns, %rows : tensor<1x256xi64>, tensor<256x1xi64>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %s = nn.matmul %q, %k transpose_b : tensor<8x6x256x64xf32>, tensor<8x6x256x64xf32>
    %m = nn.select %sees, %s, %never : tensor<256x256xi1>, tensor<8x6x256x256xf32>, tensor<f32>
    %p = nn.softmax %m axis 3 : tensor<8x6x256x256xf32>
    %y = nn.matmul %p, %v : tensor<8x6x256x256xf32>, tensor<8x6x256x64xf32>
    train.write %y, @y : tensor<8x6x256x64xf32>
  }
}

// -----

// A mask that is read, rows that may see nothing, dropout, bf16: heads of 3 rows of 5 keys fill a block of 16.
// CHECK-LABEL: train.program @masked
// CHECK: #cuda.attention<rows = 16 keys = 16 steps = 16 columns = 8>, threads = 32 grid = 4>
// CHECK-NOT: train.kernel
train.program @masked {
  train.input @q : tensor<4x3x7xbf16>
  train.input @k : tensor<4x5x7xbf16>
  train.input @v : tensor<4x5x6xbf16>
  train.input @counts : tensor<4x1x5xi1>
  train.output prediction @y : tensor<4x3x6xf32>
  train.state rng @rng : tensor<2xi64>
  train.function predict @predict {
    %q = train.read @q : tensor<4x3x7xbf16>
    %k = train.read @k : tensor<4x5x7xbf16>
    %v = train.read @v : tensor<4x5x6xbf16>
    %counts = train.read @counts : tensor<4x1x5xi1>
    %rng = train.read @rng : tensor<2xi64>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %s = nn.matmul %q, %k transpose_b wide : tensor<4x3x7xbf16>, tensor<4x5x7xbf16>
    %m = nn.select %counts, %s, %never : tensor<4x1x5xi1>, tensor<4x3x5xf32>, tensor<f32>
    %p = nn.softmax %m axis 2 {empty_to_zero} : tensor<4x3x5xf32>
    %d = nn.dropout %p, %rng ratio 0.5 stream 0 : tensor<4x3x5xf32>, tensor<2xi64>
    %low = nn.cast %d to bf16 : tensor<4x3x5xf32>
    %y = nn.matmul %low, %v wide : tensor<4x3x5xbf16>, tensor<4x5x6xbf16>
    train.write %y, @y : tensor<4x3x6xf32>
  }
}

// -----

// Heads of queries that share their keys, 128 numbers wide.
// CHECK-LABEL: train.program @shared
// CHECK: #cuda.attention<rows = 32 keys = 16 steps = 128 columns = 128>, threads = 64 grid = 96>
// CHECK-NOT: train.kernel
train.program @shared {
  train.input @q : tensor<4x3x4x64x128xf32>
  train.input @k : tensor<4x3x1x64x128xf32>
  train.input @v : tensor<4x3x1x64x128xf32>
  train.output prediction @y : tensor<4x3x4x64x128xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<4x3x4x64x128xf32>
    %k = train.read @k : tensor<4x3x1x64x128xf32>
    %v = train.read @v : tensor<4x3x1x64x128xf32>
    %s = nn.matmul %q, %k transpose_b : tensor<4x3x4x64x128xf32>, tensor<4x3x1x64x128xf32>
    %p = nn.softmax %s axis 4 : tensor<4x3x4x64x64xf32>
    %y = nn.matmul %p, %v : tensor<4x3x4x64x64xf32>, tensor<4x3x1x64x128xf32>
    train.write %y, @y : tensor<4x3x4x64x128xf32>
  }
}

// -----

// Heads of 129 numbers: products and softmax are kernels of their own.
// CHECK-LABEL: train.program @wide
// CHECK-NOT: cuda.attention
// CHECK: #cuda.contraction
// CHECK: #cuda.points
// CHECK: #cuda.contraction
// CHECK-LABEL: train.program @linear
// CHECK: #cuda.transient<{{.*}}steps = array
// CHECK-NOT: steps = array
train.program @wide {
  train.input @q : tensor<8x6x256x129xf32>
  train.input @k : tensor<8x6x256x129xf32>
  train.input @v : tensor<8x6x256x64xf32>
  train.output prediction @y : tensor<8x6x256x64xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<8x6x256x129xf32>
    %k = train.read @k : tensor<8x6x256x129xf32>
    %v = train.read @v : tensor<8x6x256x64xf32>
    %s = nn.matmul %q, %k transpose_b : tensor<8x6x256x129xf32>, tensor<8x6x256x129xf32>
    %p = nn.softmax %s axis 3 : tensor<8x6x256x256xf32>
    %y = nn.matmul %p, %v : tensor<8x6x256x256xf32>, tensor<8x6x256x64xf32>
    train.write %y, @y : tensor<8x6x256x64xf32>
  }
}

// -----

// Products without a softmax between them need no numbers of rows (transient.mlir); one whose shares are not a multiple of
// what the sum gives.
train.program @linear {
  train.input @q : tensor<8x256x64xf32>
  train.input @k : tensor<8x256x64xf32>
  train.output prediction @y : tensor<8x256x64xf32>
  train.output prediction @z : tensor<8x256x64xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<8x256x64xf32>
    %k = train.read @k : tensor<8x256x64xf32>
    %s = nn.matmul %q, %k transpose_b : tensor<8x256x64xf32>, tensor<8x256x64xf32>
    %y = nn.matmul %s, %k : tensor<8x256x256xf32>, tensor<8x256x64xf32>
    train.write %y, @y : tensor<8x256x64xf32>
    %t = nn.matmul %k, %q transpose_b : tensor<8x256x64xf32>, tensor<8x256x64xf32>
    %p = nn.softmax %t axis 2 : tensor<8x256x256xf32>
    %one = nn.constant dense<1.0> : tensor<f32>
    %r = nn.sub %p, %one : tensor<8x256x256xf32>, tensor<f32>
    %z = nn.matmul %r, %k : tensor<8x256x256xf32>, tensor<8x256x64xf32>
    train.write %z, @z : tensor<8x256x64xf32>
  }
}
