// Where a target makes elements of matrices tile by tile, a sum over a row of shares times their gradients is made of the
// row of what the shares have weighed, if these are the same shares, dropout included.
// RUN: dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-fuse=attentions=true --dlc-verify-fuse | FileCheck %s

// CHECK-LABEL: train.program @same
// CHECK: train.kernel @sum
// CHECK-NEXT: tensor<1400x24xf32>, %{{.*}}: tensor<1400x24xf32>
// CHECK: train.function
// CHECK-NOT: 200x300
train.program @same {
  train.input @q : tensor<7x200x40xf32>
  train.input @k : tensor<7x300x40xf32>
  train.input @v : tensor<7x300x24xf32>
  train.input @dy : tensor<7x200x24xf32>
  train.state rng @rng : tensor<2xi64>
  train.output prediction @y : tensor<7x200x24xf32>
  train.output prediction @d : tensor<7x200xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<7x200x40xf32>
    %k = train.read @k : tensor<7x300x40xf32>
    %v = train.read @v : tensor<7x300x24xf32>
    %dy = train.read @dy : tensor<7x200x24xf32>
    %rng = train.read @rng : tensor<2xi64>
    %s = nn.matmul %q, %k transpose_b : tensor<7x200x40xf32>, tensor<7x300x40xf32>
    %p = nn.tanh %s : tensor<7x200x300xf32>
    %w = nn.dropout %p, %rng ratio 0.1 stream 0 : tensor<7x200x300xf32>, tensor<2xi64>
    %y = nn.matmul %w, %v : tensor<7x200x300xf32>, tensor<7x300x24xf32>
    %dw = nn.matmul %dy, %v transpose_b : tensor<7x200x24xf32>, tensor<7x300x24xf32>
    %dp = nn.dropout %dw, %rng ratio 0.1 stream 0 : tensor<7x200x300xf32>, tensor<2xi64>
    %t = nn.mul %dp, %p : tensor<7x200x300xf32>, tensor<7x200x300xf32>
    %d = nn.sum %t axes [2] : tensor<7x200x300xf32>
    train.write %y, @y : tensor<7x200x24xf32>
    train.write %d, @d : tensor<7x200xf32>
  }
}

// -----

// Other numbers at random: a sum of elements.
// CHECK-LABEL: train.program @others
// CHECK-NOT: tensor<1400x24xf32>
// CHECK: train.function
// CHECK-NOT: 200x300
train.program @others {
  train.input @q : tensor<7x200x40xf32>
  train.input @k : tensor<7x300x40xf32>
  train.input @v : tensor<7x300x24xf32>
  train.input @dy : tensor<7x200x24xf32>
  train.state rng @rng : tensor<2xi64>
  train.output prediction @y : tensor<7x200x24xf32>
  train.output prediction @d : tensor<7x200xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<7x200x40xf32>
    %k = train.read @k : tensor<7x300x40xf32>
    %v = train.read @v : tensor<7x300x24xf32>
    %dy = train.read @dy : tensor<7x200x24xf32>
    %rng = train.read @rng : tensor<2xi64>
    %s = nn.matmul %q, %k transpose_b : tensor<7x200x40xf32>, tensor<7x300x40xf32>
    %p = nn.tanh %s : tensor<7x200x300xf32>
    %w = nn.dropout %p, %rng ratio 0.1 stream 0 : tensor<7x200x300xf32>, tensor<2xi64>
    %y = nn.matmul %w, %v : tensor<7x200x300xf32>, tensor<7x300x24xf32>
    %dw = nn.matmul %dy, %v transpose_b : tensor<7x200x24xf32>, tensor<7x300x24xf32>
    %dp = nn.dropout %dw, %rng ratio 0.1 stream 1 : tensor<7x200x300xf32>, tensor<2xi64>
    %t = nn.mul %dp, %p : tensor<7x200x300xf32>, tensor<7x200x300xf32>
    %d = nn.sum %t axes [2] : tensor<7x200x300xf32>
    train.write %y, @y : tensor<7x200x24xf32>
    train.write %d, @d : tensor<7x200xf32>
  }
}

// -----

// The shares before dropout are not what has weighed the values.
// CHECK-LABEL: train.program @without
// CHECK-NOT: tensor<1400x24xf32>
// CHECK: train.function
// CHECK-NOT: 200x300
train.program @without {
  train.input @q : tensor<7x200x40xf32>
  train.input @k : tensor<7x300x40xf32>
  train.input @v : tensor<7x300x24xf32>
  train.input @dy : tensor<7x200x24xf32>
  train.state rng @rng : tensor<2xi64>
  train.output prediction @y : tensor<7x200x24xf32>
  train.output prediction @d : tensor<7x200xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<7x200x40xf32>
    %k = train.read @k : tensor<7x300x40xf32>
    %v = train.read @v : tensor<7x300x24xf32>
    %dy = train.read @dy : tensor<7x200x24xf32>
    %rng = train.read @rng : tensor<2xi64>
    %s = nn.matmul %q, %k transpose_b : tensor<7x200x40xf32>, tensor<7x300x40xf32>
    %p = nn.tanh %s : tensor<7x200x300xf32>
    %w = nn.dropout %p, %rng ratio 0.1 stream 0 : tensor<7x200x300xf32>, tensor<2xi64>
    %y = nn.matmul %w, %v : tensor<7x200x300xf32>, tensor<7x300x24xf32>
    %dw = nn.matmul %dy, %v transpose_b : tensor<7x200x24xf32>, tensor<7x300x24xf32>
    %t = nn.mul %dw, %p : tensor<7x200x300xf32>, tensor<7x200x300xf32>
    %d = nn.sum %t axes [2] : tensor<7x200x300xf32>
    train.write %y, @y : tensor<7x200x24xf32>
    train.write %d, @d : tensor<7x200xf32>
  }
}
