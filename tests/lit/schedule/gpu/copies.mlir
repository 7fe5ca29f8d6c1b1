// An operand comes to shared memory as it lies, in copies as wide as its sizes, its place and its loops allow. There are
// as many stages as there are rounds, or room for.
// RUN: split-file %s %t
// RUN: dlc-opt %t/sizes.mlir --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-fuse --dlc-schedule-gpu --dlc-verify-schedule-gpu | FileCheck %s
// RUN: dlc-opt %t/places.mlir --dlc-schedule-gpu --dlc-verify-schedule-gpu | FileCheck %s --check-prefix=PLACES

//--- sizes.mlir
// Both orders of both operands.
// CHECK-LABEL: train.program @orders
// CHECK-DAG: train.kernel @matmul schedule({{.*}} left = <bytes = 16 along_steps = true> right = <bytes = 16>>
// CHECK-DAG: train.kernel @matmul_0 schedule({{.*}} left = <bytes = 16> right = <bytes = 16 along_steps = true>>
train.program @orders {
  train.input @x : tensor<64x64xf32>
  train.input @w : tensor<64x64xf32>
  train.output prediction @y : tensor<64x64xf32>
  train.output prediction @z : tensor<64x64xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<64x64xf32>
    %w = train.read @w : tensor<64x64xf32>
    %y = nn.matmul %x, %w : tensor<64x64xf32>, tensor<64x64xf32>
    %z = nn.matmul %x, %w transpose_a transpose_b : tensor<64x64xf32>, tensor<64x64xf32>
    train.write %y, @y : tensor<64x64xf32>
    train.write %z, @z : tensor<64x64xf32>
  }
}

// -----

// Rows of 66 and 65 numbers. Of one that is open, nothing is known but that its elements lie one by one. Few steps need
// few stages.
// CHECK-LABEL: train.program @sizes
// CHECK-DAG: train.kernel @matmul schedule({{.*}} stages = 1 left = <bytes = 8 along_steps = true> right = <bytes = 8>>
// CHECK-DAG: train.kernel @matmul_0 schedule({{.*}} stages = 2 left = <bytes = 4> right = <bytes = 8>>
train.program @sizes {
  train.dim @n = 65
  train.input @x : tensor<66x10xf32>
  train.input @u : tensor<30x?xf32, #nn.dims<_, n>>
  train.input @w : tensor<10x66xf32>
  train.input @v : tensor<30x66xf32>
  train.output prediction @y : tensor<66x66xf32>
  train.output prediction @z : tensor<?x66xf32, #nn.dims<n, _>>
  train.function predict @predict {
    %x = train.read @x : tensor<66x10xf32>
    %w = train.read @w : tensor<10x66xf32>
    %u = train.read @u : tensor<30x?xf32, #nn.dims<_, n>>
    %v = train.read @v : tensor<30x66xf32>
    %y = nn.matmul %x, %w : tensor<66x10xf32>, tensor<10x66xf32>
    %z = nn.matmul %u, %v transpose_a : tensor<30x?xf32, #nn.dims<_, n>>, tensor<30x66xf32>
    train.write %y, @y : tensor<66x66xf32>
    train.write %z, @z : tensor<?x66xf32, #nn.dims<n, _>>
  }
}

// -----

// Numbers of 8 bytes; a half of bf16 needs a neighbour. Rounds of these are larger: there is room for three.
// CHECK-LABEL: train.program @types
// CHECK-DAG: train.kernel @matmul schedule({{.*}} stages = 3 left = <bytes = 16 along_steps = true> right = <bytes = 16>>
// CHECK-DAG: train.kernel @matmul_0 schedule({{.*}} left = <bytes = 8 along_steps = true> right = <bytes = 8>>
// CHECK-DAG: train.kernel @matmul_1 schedule({{.*}} left = <bytes = 4 along_steps = true> right = <bytes = 0>>
train.program @types {
  train.input @x : tensor<1024x64xf64>
  train.input @w : tensor<64x1024xf64>
  train.input @t : tensor<64x63xf64>
  train.input @s : tensor<63x63xf64>
  train.input @a : tensor<64x62xbf16>
  train.input @b : tensor<62x63xbf16>
  train.output prediction @y : tensor<1024x1024xf64>
  train.output prediction @z : tensor<64x63xf64>
  train.output prediction @c : tensor<64x63xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<1024x64xf64>
    %w = train.read @w : tensor<64x1024xf64>
    %t = train.read @t : tensor<64x63xf64>
    %s = train.read @s : tensor<63x63xf64>
    %a = train.read @a : tensor<64x62xbf16>
    %b = train.read @b : tensor<62x63xbf16>
    %y = nn.matmul %x, %w : tensor<1024x64xf64>, tensor<64x1024xf64>
    %z = nn.matmul %t, %s : tensor<64x63xf64>, tensor<63x63xf64>
    %c = nn.matmul %a, %b wide : tensor<64x62xbf16>, tensor<62x63xbf16>
    train.write %y, @y : tensor<1024x1024xf64>
    train.write %z, @z : tensor<64x63xf64>
    train.write %c, @c : tensor<64x63xf32>
  }
}

//--- places.mlir
// A part of a tensor begins 8 bytes after it; the second part of a batch 72 bytes after the first one.
// PLACES-LABEL: train.program @parts
// PLACES: train.kernel @slice schedule({{.*}} left = <bytes = 8 along_steps = true> right = <bytes = 16>>
// PLACES: train.kernel @first_part schedule({{.*}} left = <bytes = 8> right = <bytes = 16>>
#ik = affine_map<(d0, d1, d2) -> (d0, d2)>
#ki = affine_map<(d0, d1, d2) -> (d2, d0)>
#kj = affine_map<(d0, d1, d2) -> (d2, d1)>
#ij = affine_map<(d0, d1, d2) -> (d0, d1)>
train.program @parts attributes {batch_parts = 2 : i64} {
  train.dim @batch = 6
  train.input @z : tensor<?x6xf32, #nn.dims<batch, _>>
  train.state buffer @x : tensor<16x20xf32>
  train.state buffer @w : tensor<16x32xf32>
  train.state buffer @v : tensor<3x32xf32>
  train.state buffer @g : tensor<16x32xf32>
  train.state buffer @h : tensor<6x32xf32>
  train.function grad_step @first attributes {one_part} {
    %x = train.read @x : tensor<16x20xf32>
    %w = train.read @w : tensor<16x32xf32>
    %v = train.read @v : tensor<3x32xf32>
    %z = train.read @z : tensor<3x6xf32>
    %part = tensor.extract_slice %x[0, 2] [16, 16] [1, 1] : tensor<16x20xf32> to tensor<16x16xf32>
    %g = train.launch @slice(%part, %w) : (tensor<16x16xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %h = train.launch @first_part(%z, %v) : (tensor<3x6xf32>, tensor<3x32xf32>) -> tensor<6x32xf32>
    train.write %g, @g : tensor<16x32xf32>
    train.write %h, @h : tensor<6x32xf32>
  }
  train.kernel @slice attributes {arg_strides = [["20", "1"], unit, unit], shared = 2 : i64} {
  ^bb0(%x: tensor<16x16xf32>, %w: tensor<16x32xf32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<16x32xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x32xf32>) -> tensor<16x32xf32>
    %y = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<16x16xf32>, tensor<16x32xf32>) outs(%start : tensor<16x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.mulf %a, %b : f32
      %e = arith.addf %c, %d : f32
      linalg.yield %e : f32
    } -> tensor<16x32xf32>
    train.yield %y : tensor<16x32xf32>
  }
  train.kernel @first_part attributes {shared = 2 : i64} {
  ^bb0(%z: tensor<3x6xf32>, %v: tensor<3x32xf32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<6x32xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<6x32xf32>) -> tensor<6x32xf32>
    %y = linalg.generic {indexing_maps = [#ki, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%z, %v : tensor<3x6xf32>, tensor<3x32xf32>) outs(%start : tensor<6x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.mulf %a, %b : f32
      %e = arith.addf %c, %d : f32
      linalg.yield %e : f32
    } -> tensor<6x32xf32>
    train.yield %y : tensor<6x32xf32>
  }
}
