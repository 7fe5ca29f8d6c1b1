// A kernel of steps has a schedule of each. The scores have a place in scratch, which the probabilities take over row by
// row. The longest of the shared loops is cut into chunks.
// RUN: dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-fuse --dlc-schedule-cpu="triple=x86_64-linux-gnu cpu=znver5" --dlc-verify-schedule | FileCheck %s
// CHECK: #cpu.steps<[<#cpu.contraction<tile = <lane = 2, row = 1, rows = 8, vectors = 2> nest = [<loop = 0, size = 1>]>, lanes = 16>,
// CHECK-SAME: <#cpu.rows<unroll = 8 along = [2, 2, 2, -1, 2]>, lanes = 16>,
// CHECK-SAME: <#cpu.contraction<tile = <lane = 2, row = 1, rows = 8, vectors = 2> nest = [<loop = 0, size = 1>]>, lanes = 16>]
// CHECK-SAME: places = [0, 0] own = 262208>, lanes = 16 split = <loop = 0, size = 1, chunks = 24> scratch = 262208 inplace = [0, 0]>
train.program @attention {
  train.input @q : tensor<24x256x64xf32>
  train.input @k : tensor<24x64x256xf32>
  train.input @v : tensor<24x256x64xf32>
  train.output prediction @y : tensor<24x256x64xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<24x256x64xf32>
    %k = train.read @k : tensor<24x64x256xf32>
    %v = train.read @v : tensor<24x256x64xf32>
    %s = nn.matmul %q, %k : tensor<24x256x64xf32>, tensor<24x64x256xf32>
    %p = nn.softmax %s axis 2 : tensor<24x256x256xf32>
    %y = nn.matmul %p, %v : tensor<24x256x256xf32>, tensor<24x256x64xf32>
    train.write %y, @y : tensor<24x256x64xf32>
  }
}

// -----

// Steps leave out what the mask hides in blocks, which tiles and vectors divide.
// CHECK: places = [0, 0] own = 262208 unit = 16>
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

// Rows of one vector have no second block.
// CHECK: train.kernel {{.*}}#cpu.steps
// CHECK-NOT: {{unit = [0-9]+>, lanes}}
// CHECK-NOT: nonzero
train.program @short {
  train.input @q : tensor<4096x12x8xf32>
  train.input @k : tensor<4096x8x12xf32>
  train.input @v : tensor<4096x12x8xf32>
  train.output prediction @y : tensor<4096x12x8xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<4096x12x8xf32>
    %k = train.read @k : tensor<4096x8x12xf32>
    %v = train.read @v : tensor<4096x12x8xf32>
    %rows = nn.iota axis 0 : tensor<12x1xi64>
    %columns = nn.iota axis 1 : tensor<1x12xi64>
    %sees = nn.compare le %columns, %rows : tensor<1x12xi64>, tensor<12x1xi64>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %s = nn.matmul %q, %k : tensor<4096x12x8xf32>, tensor<4096x8x12xf32>
    %m = nn.select %sees, %s, %never : tensor<12x12xi1>, tensor<4096x12x12xf32>, tensor<f32>
    %p = nn.softmax %m axis 2 : tensor<4096x12x12xf32>
    %y = nn.matmul %p, %v : tensor<4096x12x12xf32>, tensor<4096x12x8xf32>
    train.write %y, @y : tensor<4096x12x8xf32>
  }
}

// -----

// Keys are transposed while they are copied. By itself the product would be cut into chunks of 32 columns, each of which
// copies its own; as a step it copies all of them: 8 panels of 64 x 32 elements and what keeps these apart.
// CHECK: train.kernel {{.*}}#cpu.steps<[<#cpu.contraction<tile = <lane = 2, row = 1, rows = 8, vectors = 2> nest = [<loop = 0, size = 1>] packing = <columns = 1>>, lanes = 16 scratch = 66560>
// CHECK-SAME: own = 262208>, lanes = 16 split = <loop = 0, size = 1, chunks = 24> scratch = 328768
train.program @keys {
  train.input @q : tensor<24x256x64xf32>
  train.input @k : tensor<24x256x64xf32>
  train.input @v : tensor<24x256x64xf32>
  train.output prediction @y : tensor<24x256x64xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<24x256x64xf32>
    %k = train.read @k : tensor<24x256x64xf32>
    %v = train.read @v : tensor<24x256x64xf32>
    %s = nn.matmul %q, %k transpose_b : tensor<24x256x64xf32>, tensor<24x256x64xf32>
    %p = nn.softmax %s axis 2 : tensor<24x256x256xf32>
    %y = nn.matmul %p, %v : tensor<24x256x256xf32>, tensor<24x256x64xf32>
    train.write %y, @y : tensor<24x256x64xf32>
  }
}

// -----

// Scores of a head that exceed the cache: blocks of 64 queries, whose scores have a place. The keys, which are
// transposed while they are copied, keep theirs. Three heads make few chunks, so that blocks of queries are shared
// too.
// CHECK: train.kernel {{.*}}#cpu.steps
// CHECK-SAME: block = 64>, lanes = 16 split = <loop = 0, size = 1, chunks = 3>, <loop = 1, size = 128, chunks = 8>
// CHECK-SAME: shared = 2
train.program @long {
  train.input @q : tensor<3x1024x64xf32>
  train.input @k : tensor<3x1024x64xf32>
  train.input @v : tensor<3x1024x64xf32>
  train.output prediction @y : tensor<3x1024x64xf32>
  train.function predict @predict {
    %q = train.read @q : tensor<3x1024x64xf32>
    %k = train.read @k : tensor<3x1024x64xf32>
    %v = train.read @v : tensor<3x1024x64xf32>
    %s = nn.matmul %q, %k transpose_b : tensor<3x1024x64xf32>, tensor<3x1024x64xf32>
    %p = nn.softmax %s axis 2 : tensor<3x1024x1024xf32>
    %y = nn.matmul %p, %v : tensor<3x1024x1024xf32>, tensor<3x1024x64xf32>
    train.write %y, @y : tensor<3x1024x64xf32>
  }
}
