// Products run in tiles, whose shape follows from their sizes alone; what follows a product changes nothing. Rows and
// sums have several threads for a point, single elements have one.
// RUN: dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-fuse --dlc-schedule-gpu --dlc-verify-schedule-gpu | FileCheck %s

// CHECK: train.kernel @matmul schedule(#cuda.schedule<#cuda.contraction<rows = 128 columns = 64 steps = 8 thread_rows = 8 thread_columns = 4 stages = 4 left = <bytes = 16 along_steps = true> right = <bytes = 16>>, threads = 256 grid = 128>)
// CHECK: train.kernel @matmul_add schedule(#cuda.schedule<#cuda.contraction<rows = 128 columns = 64 steps = 8 thread_rows = 8 thread_columns = 4 stages = 4 left = <bytes = 16 along_steps = true> right = <bytes = 16>>, threads = 256 grid = 128>)
train.program @products {
  train.input @x : tensor<1024x512xf32>
  train.input @w : tensor<512x1024xf32>
  train.input @v : tensor<512x1024xf32>
  train.input @b : tensor<1024xf32>
  train.output prediction @y : tensor<1024x1024xf32>
  train.output prediction @z : tensor<1024x1024xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<1024x512xf32>
    %w = train.read @w : tensor<512x1024xf32>
    %v = train.read @v : tensor<512x1024xf32>
    %b = train.read @b : tensor<1024xf32>
    %y = nn.matmul %x, %w : tensor<1024x512xf32>, tensor<512x1024xf32>
    %0 = nn.matmul %x, %v : tensor<1024x512xf32>, tensor<512x1024xf32>
    %z = nn.add %0, %b : tensor<1024x1024xf32>, tensor<1024xf32>
    train.write %y, @y : tensor<1024x1024xf32>
    train.write %z, @z : tensor<1024x1024xf32>
  }
}

// -----

// Few columns: a tile of few columns.
// CHECK: train.kernel @matmul schedule(#cuda.schedule<#cuda.contraction<rows = 64 columns = 16 steps = 16 thread_rows = 2 thread_columns = 2 stages = 3 left = <bytes = 4 along_steps = true> right = <bytes = 8>>, threads = 256 grid = 2>)
train.program @narrow {
  train.input @x : tensor<100x33xf32>
  train.input @w : tensor<33x10xf32>
  train.output prediction @y : tensor<100x10xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<100x33xf32>
    %w = train.read @w : tensor<33x10xf32>
    %y = nn.matmul %x, %w : tensor<100x33xf32>, tensor<33x10xf32>
    train.write %y, @y : tensor<100x10xf32>
  }
}

// -----

// A thread for each element.
// CHECK: train.kernel @relu schedule(#cuda.schedule<#cuda.points<members = 1>, threads = 256 grid = 40 inplace = [0, 0]>)
train.program @elements {
  train.input @x : tensor<100x100xf32>
  train.output prediction @y : tensor<100x100xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<100x100xf32>
    %y = nn.relu %x : tensor<100x100xf32>
    train.write %y, @y : tensor<100x100xf32>
  }
}

// -----

// Sums over leading dims: neighbouring threads have neighbouring columns, and eight of them share each column's rows.
// CHECK: train.kernel @sum schedule(#cuda.schedule<#cuda.points<members = 8 across = true partials = [8]>, threads = 256 grid = 8>)
train.program @columns {
  train.input @x : tensor<128x256xf32>
  train.output prediction @y : tensor<256xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<128x256xf32>
    %y = nn.sum %x axes [0] : tensor<128x256xf32>
    train.write %y, @y : tensor<256xf32>
  }
}

// -----

// So are the columns of the larger operand, whatever lies along the sum: a number for each row. They have as many threads as
// use a GPU's bandwidth.
// CHECK: train.kernel @mul_sum schedule(#cuda.schedule<#cuda.points<members = 128 across = true partials = [128]>, threads = 1024 grid = 96>)
train.program @columns_of_rows {
  train.input @x : tensor<8192x768xf32>
  train.input @row : tensor<8192x1xf32>
  train.output prediction @y : tensor<768xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8192x768xf32>
    %row = train.read @row : tensor<8192x1xf32>
    %0 = nn.mul %x, %row : tensor<8192x768xf32>, tensor<8192x1xf32>
    %y = nn.sum %0 axes [0] : tensor<8192x768xf32>
    train.write %y, @y : tensor<768xf32>
  }
}

// -----

// Many rows: no more threads each than have some elements, which they keep.
// CHECK: train.kernel @softmax schedule(#cuda.schedule<#cuda.points<members = 64 partials = [{{[0-9, ]*}}] turns = 12>, threads = 256 grid = 2048
train.program @many_rows {
  train.input @x : tensor<8192x768xf32>
  train.output prediction @y : tensor<8192x768xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8192x768xf32>
    %y = nn.softmax %x axis 1 : tensor<8192x768xf32>
    train.write %y, @y : tensor<8192x768xf32>
  }
}

// -----

// Many points: a thread has four neighbours, unless their number does not allow that.
// CHECK: train.kernel @relu schedule(#cuda.schedule<#cuda.points<members = 1 elements = 4>, threads = 256 grid = 6144
// CHECK: train.kernel @relu_0 schedule(#cuda.schedule<#cuda.points<members = 1>, threads = 256 grid = 24542
train.program @many_points {
  train.input @x : tensor<8192x768xf32>
  train.input @z : tensor<8191x767xf32>
  train.output prediction @y : tensor<8192x768xf32>
  train.output prediction @w : tensor<8191x767xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8192x768xf32>
    %y = nn.relu %x : tensor<8192x768xf32>
    %z = train.read @z : tensor<8191x767xf32>
    %w = nn.relu %z : tensor<8191x767xf32>
    train.write %y, @y : tensor<8192x768xf32>
    train.write %w, @w : tensor<8191x767xf32>
  }
}

// -----

// Rows: a block for each, whose elements lie in shared memory between the operations.
// CHECK: train.kernel @softmax schedule(#cuda.schedule<#cuda.points<members = 256 partials = [{{.*}}] shared = {{[0-9]+}}>, threads = 256 grid = 64
train.program @rows {
  train.input @x : tensor<64x1000xf32>
  train.output prediction @y : tensor<64x1000xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<64x1000xf32>
    %y = nn.softmax %x axis 1 : tensor<64x1000xf32>
    train.write %y, @y : tensor<64x1000xf32>
  }
}

// -----

// Rows that are too long for shared memory lie in scratch.
// CHECK: train.kernel @softmax schedule(#cuda.schedule<#cuda.points<members = 1024 partials = [{{[0-9, ]*}}]>, threads = 1024 grid = 8 scratch = {{[0-9]+}}
train.program @long_rows {
  train.input @x : tensor<8x50257xf32>
  train.output prediction @y : tensor<8x50257xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x50257xf32>
    %y = nn.softmax %x axis 1 : tensor<8x50257xf32>
    train.write %y, @y : tensor<8x50257xf32>
  }
}

// -----

// CHECK: train.kernel @scatter_add schedule(#cuda.schedule<#cuda.scatter<loop = 0 rows = 148 columns = 256>, threads = 256 grid = {{[0-9]+}}>)
train.program @words {
  train.input @ids : tensor<8192xi64>
  train.input @u : tensor<8192x768xf32>
  train.output prediction @y : tensor<50257x768xf32>
  train.function predict @predict {
    %ids = train.read @ids : tensor<8192xi64>
    %u = train.read @u : tensor<8192x768xf32>
    %y = nn.scatter_add %ids, %u axis 0 : tensor<8192xi64>, tensor<8192x768xf32> -> tensor<50257x768xf32>
    train.write %y, @y : tensor<50257x768xf32>
  }
}
