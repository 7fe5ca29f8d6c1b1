// Matrices that products make and other products and sums take up are never in memory on a GPU: a kernel for each side,
// and one more where a sum must be known before. Tiles follow from sizes and the type of elements.
// RUN: dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-fuse=attentions=true --dlc-verify-fuse --dlc-schedule-gpu --dlc-verify-schedule-gpu | FileCheck %s

// The gradients of an attention, of which only the maximum and the sum of each row are known. A row's sum of shares times
// their gradients is one of elements here: no product has weighed %v with the shares.
// CHECK-LABEL: train.program @gradients
// CHECK: #cuda.transient<rows = 64 along = 64 kept = [48, 32] brought = [48, 32]>, threads = 128 grid = 120>
// CHECK: train.yield %{{.*}} : tensor<30x200xf32>
// CHECK: #cuda.transient<rows = 64 along = 64 kept = [48, 32] brought = [48, 32]>, threads = 128 grid = 120>
// CHECK: train.yield %{{.*}} : tensor<30x200x40xf32>
// CHECK: #cuda.transient<rows = 64 along = 64 kept = [48, 32] brought = [48, 32]>, threads = 128 grid = 150>
// CHECK: train.yield {{.*}} : tensor<30x300x40xf32>, tensor<30x300x24xf32>
// CHECK-NOT: train.kernel
// CHECK: train.function
// CHECK-NOT: 200x300
train.program @gradients {
  train.input @q : tensor<6x5x200x40xf32>
  train.input @k : tensor<6x5x300x40xf32>
  train.input @v : tensor<6x5x300x24xf32>
  train.input @dy : tensor<6x5x200x24xf32>
  train.input @m : tensor<6x5x200x1xf32>
  train.input @r : tensor<6x5x200x1xf32>
  train.output prediction @dq : tensor<6x5x200x40xf32>
  train.output prediction @dk : tensor<6x5x300x40xf32>
  train.output prediction @dv : tensor<6x5x300x24xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<6x5x200x40xf32>
    %k = train.read @k : tensor<6x5x300x40xf32>
    %v = train.read @v : tensor<6x5x300x24xf32>
    %dy = train.read @dy : tensor<6x5x200x24xf32>
    %m = train.read @m : tensor<6x5x200x1xf32>
    %r = train.read @r : tensor<6x5x200x1xf32>
    %s = nn.matmul %q, %k transpose_b : tensor<6x5x200x40xf32>, tensor<6x5x300x40xf32>
    %c = nn.sub %s, %m : tensor<6x5x200x300xf32>, tensor<6x5x200x1xf32>
    %e = nn.exp %c : tensor<6x5x200x300xf32>
    %p = nn.mul %e, %r : tensor<6x5x200x300xf32>, tensor<6x5x200x1xf32>
    %dp = nn.matmul %dy, %v transpose_b : tensor<6x5x200x24xf32>, tensor<6x5x300x24xf32>
    %t = nn.mul %dp, %p : tensor<6x5x200x300xf32>, tensor<6x5x200x300xf32>
    %d0 = nn.sum %t axes [3] : tensor<6x5x200x300xf32>
    %d = nn.reshape %d0 : tensor<6x5x200xf32> -> tensor<6x5x200x1xf32>
    %g = nn.sub %dp, %d : tensor<6x5x200x300xf32>, tensor<6x5x200x1xf32>
    %ds = nn.mul %p, %g : tensor<6x5x200x300xf32>, tensor<6x5x200x300xf32>
    %dq = nn.matmul %ds, %k : tensor<6x5x200x300xf32>, tensor<6x5x300x40xf32>
    %dk = nn.matmul %ds, %q transpose_a : tensor<6x5x200x300xf32>, tensor<6x5x200x40xf32>
    %dv = nn.matmul %p, %dy transpose_a : tensor<6x5x200x300xf32>, tensor<6x5x200x24xf32>
    train.write %dq, @dq : tensor<6x5x200x40xf32>
    train.write %dk, @dk : tensor<6x5x300x40xf32>
    train.write %dv, @dv : tensor<6x5x300x24xf32>
  }
}

// -----

// bf16, and 4 heads of queries that have keys in common: 28 rows, or 4 blocks for the keys, where the sum over these heads
// is taken afterwards. What follows a sum is done where that is.
// CHECK-LABEL: train.program @shared
// CHECK: #cuda.transient<rows = 32 along = 16 kept = [16] brought = [16]>, threads = 64 grid = 2>
// CHECK: train.yield {{.*}} : tensor<2x28x5xf32>
// CHECK: #cuda.transient<rows = 16 along = 16 kept = [16] brought = [16, 16]>, threads = 32 grid = 8>
// CHECK: train.yield {{.*}} : tensor<2x4x7x3xf32>
// CHECK: #cuda.points
// CHECK: train.function
// CHECK-NOT: 7x7x
train.program @shared {
  train.input @q : tensor<2x4x7x5xbf16>
  train.input @k : tensor<2x1x7x5xbf16>
  train.input @dy : tensor<2x4x7x3xbf16>
  train.output prediction @dq : tensor<2x4x7x5xf32>
  train.output prediction @dv : tensor<2x1x7x3xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<2x4x7x5xbf16>
    %k = train.read @k : tensor<2x1x7x5xbf16>
    %dy = train.read @dy : tensor<2x4x7x3xbf16>
    %half = nn.constant dense<0.5> : tensor<f32>
    %s = nn.matmul %q, %k transpose_b wide : tensor<2x4x7x5xbf16>, tensor<2x1x7x5xbf16>
    %t = nn.tanh %s : tensor<2x4x7x7xf32>
    %low = nn.cast %t to bf16 : tensor<2x4x7x7xf32>
    %dq0 = nn.matmul %low, %k wide : tensor<2x4x7x7xbf16>, tensor<2x1x7x5xbf16>
    %dq = nn.mul %dq0, %half : tensor<2x4x7x5xf32>, tensor<f32>
    %dv0 = nn.matmul %low, %dy transpose_a wide : tensor<2x4x7x7xbf16>, tensor<2x4x7x3xbf16>
    %dv1 = nn.sum %dv0 axes [1] : tensor<2x4x7x3xf32>
    %dv = nn.reshape %dv1 : tensor<2x7x3xf32> -> tensor<2x1x7x3xf32>
    train.write %dq, @dq : tensor<2x4x7x5xf32>
    train.write %dv, @dv : tensor<2x1x7x3xf32>
  }
}

// -----

// What one element of all matrices is summed up of is needed as a matrix: products and all between are kernels of their own.
// CHECK-LABEL: train.program @biased
// CHECK-NOT: #cuda.transient
train.program @biased {
  train.input @q : tensor<6x200x40xf32>
  train.input @k : tensor<6x300x40xf32>
  train.output prediction @dq : tensor<6x200x40xf32>
  train.output prediction @bias : tensor<200x300xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<6x200x40xf32>
    %k = train.read @k : tensor<6x300x40xf32>
    %s = nn.matmul %q, %k transpose_b : tensor<6x200x40xf32>, tensor<6x300x40xf32>
    %t = nn.tanh %s : tensor<6x200x300xf32>
    %dq = nn.matmul %t, %k : tensor<6x200x300xf32>, tensor<6x300x40xf32>
    %bias = nn.sum %t axes [0] : tensor<6x200x300xf32>
    train.write %dq, @dq : tensor<6x200x40xf32>
    train.write %bias, @bias : tensor<200x300xf32>
  }
}
