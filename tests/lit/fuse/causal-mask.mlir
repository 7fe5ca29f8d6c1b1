// What a causal mask hides is left out: probabilities of later positions are zero, products with them are, and scores
// that only these read are not needed. Operations of the kernel say which iterations count.
// RUN: dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s

// The scores and their mask, the row's maximum, the exponentials, their sum, the shares; then the sum of values. What has
// one number for each row (its reciprocal) needs no set.
// CHECK-DAG: #[[PRODUCT:.*]] = affine_set<(d0, d1, d2, d3) : (d1 - d2 >= 0)>
// CHECK-DAG: #[[ROW:.*]] = affine_set<(d0, d1, d2) : (d1 - d2 >= 0)>
// CHECK-DAG: #[[SUM:.*]] = affine_set<(d0, d1, d2, d3) : (d1 - d3 >= 0)>
// CHECK: steps = array<i64: 2, 5, 1>
// CHECK: linalg.generic {{.*}}nonzero = #[[PRODUCT]]}
// CHECK-COUNT-4: linalg.generic {{.*}}nonzero = #[[ROW]]}
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}}nonzero = #[[ROW]]}
// CHECK: linalg.generic {{.*}}nonzero = #[[SUM]]}
train.program @causal {
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

// -----

// Keys before the first query: the mask begins that much later.
// CHECK: affine_set<(d0, d1, d2) : (d1 - d2 + 44 >= 0)>
// CHECK: steps = array
train.program @past {
  train.input @q : tensor<24x212x64xf32>
  train.input @k : tensor<24x64x256xf32>
  train.input @v : tensor<24x256x64xf32>
  train.output prediction @y : tensor<24x212x64xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<24x212x64xf32>
    %k = train.read @k : tensor<24x64x256xf32>
    %v = train.read @v : tensor<24x256x64xf32>
    %first = nn.iota axis 0 : tensor<212x1xi64>
    %past = nn.constant dense<44> : tensor<i64>
    %rows = nn.add %first, %past : tensor<212x1xi64>, tensor<i64>
    %columns = nn.iota axis 1 : tensor<1x256xi64>
    %later = nn.compare gt %columns, %rows : tensor<1x256xi64>, tensor<212x1xi64>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %s = nn.matmul %q, %k : tensor<24x212x64xf32>, tensor<24x64x256xf32>
    %m = nn.select %later, %never, %s : tensor<212x256xi1>, tensor<f32>, tensor<24x212x256xf32>
    %p = nn.softmax %m axis 2 : tensor<24x212x256xf32>
    %y = nn.matmul %p, %v : tensor<24x212x256xf32>, tensor<24x256x64xf32>
    train.write %y, @y : tensor<24x212x64xf32>
  }
}

// -----

// Joined with another mask, which may hide all that a row sees: its shares are zeros then.
// CHECK: train.program @joined
// CHECK: steps = array<i64: 2, 5, 1>
// CHECK: linalg.generic {{.*}}nonzero
// CHECK-COUNT-4: linalg.generic {{.*}}nonzero
// CHECK: linalg.generic {{.*}}nonzero
// CHECK: linalg.generic {{.*}}nonzero
train.program @joined {
  train.input @q : tensor<24x256x64xf32>
  train.input @k : tensor<24x64x256xf32>
  train.input @v : tensor<24x256x64xf32>
  train.input @counts : tensor<24x1x256xi1>
  train.output prediction @y : tensor<24x256x64xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<24x256x64xf32>
    %k = train.read @k : tensor<24x64x256xf32>
    %v = train.read @v : tensor<24x256x64xf32>
    %counts = train.read @counts : tensor<24x1x256xi1>
    %rows = nn.iota axis 0 : tensor<256x1xi64>
    %columns = nn.iota axis 1 : tensor<1x256xi64>
    %earlier = nn.compare le %columns, %rows : tensor<1x256xi64>, tensor<256x1xi64>
    %sees = nn.logical_and %earlier, %counts : tensor<256x256xi1>, tensor<24x1x256xi1>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %s = nn.matmul %q, %k : tensor<24x256x64xf32>, tensor<24x64x256xf32>
    %m = nn.select %sees, %s, %never : tensor<24x256x256xi1>, tensor<24x256x256xf32>, tensor<f32>
    %p = nn.softmax %m axis 2 {empty_to_zero} : tensor<24x256x256xf32>
    %y = nn.matmul %p, %v : tensor<24x256x256xf32>, tensor<24x256x64xf32>
    train.write %y, @y : tensor<24x256x64xf32>
  }
}

// -----

// A large number in place of infinity hides only what is not larger still; a row that sees nothing has no
// softmax; and who reads all shares gets all of them.
// CHECK: train.program @all_count
// CHECK-NOT: nonzero
// CHECK: steps = array
// CHECK-NOT: nonzero
// CHECK: steps = array
// CHECK-NOT: nonzero
train.program @all_count {
  train.input @q : tensor<24x256x64xf32>
  train.input @k : tensor<24x64x256xf32>
  train.input @v : tensor<24x256x64xf32>
  train.output prediction @y : tensor<24x256x64xf32>
  train.output prediction @z : tensor<24x256x64xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<24x256x64xf32>
    %k = train.read @k : tensor<24x64x256xf32>
    %v = train.read @v : tensor<24x256x64xf32>
    %rows = nn.iota axis 0 : tensor<256x1xi64>
    %columns = nn.iota axis 1 : tensor<1x256xi64>
    %later = nn.compare gt %columns, %rows : tensor<1x256xi64>, tensor<256x1xi64>
    %low = nn.constant dense<-1.0e9> : tensor<f32>
    %s = nn.matmul %q, %k : tensor<24x256x64xf32>, tensor<24x64x256xf32>
    %m = nn.select %later, %low, %s : tensor<256x256xi1>, tensor<f32>, tensor<24x256x256xf32>
    %p = nn.softmax %m axis 2 : tensor<24x256x256xf32>
    %y = nn.matmul %p, %v : tensor<24x256x256xf32>, tensor<24x256x64xf32>
    train.write %y, @y : tensor<24x256x64xf32>
    %one = nn.constant dense<1> : tensor<i64>
    %after = nn.add %columns, %one : tensor<1x256xi64>, tensor<i64>
    %none = nn.compare gt %after, %rows : tensor<1x256xi64>, tensor<256x1xi64>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %t = nn.matmul %v, %k : tensor<24x256x64xf32>, tensor<24x64x256xf32>
    %n = nn.select %none, %never, %t : tensor<256x256xi1>, tensor<f32>, tensor<24x256x256xf32>
    %o = nn.softmax %n axis 2 : tensor<24x256x256xf32>
    %z = nn.matmul %o, %q : tensor<24x256x256xf32>, tensor<24x256x64xf32>
    train.write %z, @z : tensor<24x256x64xf32>
  }
}
