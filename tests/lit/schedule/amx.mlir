// Products of bf16 on a CPU with AMX: tiles of 32 x 32. Columns are always copied; rows are where neighbouring steps do
// not lie together, or no multiple of 32 is there. What is small, or has few rows, columns or steps, vectors do.
// RUN: dlc compile %s --precision=bf16 --emit=schedule --triple=x86_64-linux-gnu --cpu=sapphirerapids -o %t
// RUN: FileCheck %s < %t/p.schedule.mlir
// RUN: dlc compile %s --precision=bf16 --emit=schedule --triple=x86_64-linux-gnu --cpu=znver4 -o %t
// RUN: FileCheck %s --check-prefix=NONE < %t/p.schedule.mlir
// RUN: dlc compile %s --precision=fp16 --emit=schedule --triple=x86_64-linux-gnu --cpu=sapphirerapids -o %t
// RUN: FileCheck %s --check-prefix=NONE < %t/p.schedule.mlir

// CHECK-DAG: tile = <lane = 1, row = 0, rows = 32, vectors = 2> reduction = <pairs = 2, amx = true> packing = <columns = 1>
// CHECK-DAG: tile = <lane = 1, row = 0, rows = 32, vectors = 2> reduction = <pairs = 2, amx = true> packing = <columns = 1, rows = 0>
// CHECK-DAG: tile = <lane = 1, row = 0, rows = 16, vectors = 1> reduction = <pairs = 2, amx = true> packing = <columns = 1>
// NONE-NOT: amx
train.program @p {
  train.input @a : tensor<96x64xf32>
  train.input @b : tensor<64x96xf32>
  train.input @odd : tensor<64x80xf32>
  train.input @few : tensor<16x512xf32>
  train.input @narrow : tensor<512x16xf32>
  train.output prediction @x : tensor<96x96xf32>
  train.output prediction @y : tensor<80x96xf32>
  train.output prediction @z : tensor<16x16xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<96x64xf32>
    %b = train.read @b : tensor<64x96xf32>
    %odd = train.read @odd : tensor<64x80xf32>
    %few = train.read @few : tensor<16x512xf32>
    %narrow = train.read @narrow : tensor<512x16xf32>
    %x = nn.matmul %a, %b : tensor<96x64xf32>, tensor<64x96xf32>
    train.write %x, @x : tensor<96x96xf32>
    %y = nn.matmul %odd, %b transpose_a : tensor<64x80xf32>, tensor<64x96xf32>
    train.write %y, @y : tensor<80x96xf32>
    %z = nn.matmul %few, %narrow : tensor<16x512xf32>, tensor<512x16xf32>
    train.write %z, @z : tensor<16x16xf32>
  }
}
