// Sums in tile registers: configured at the kernel's begin and released at its end. Each step adds 32 products to 32 x 32
// sums, in four instructions that share two registers of rows and two of columns. Sums leave through memory. A library
// of float32 products has none of it, and none that is for a CPU without the unit.
// RUN: dlc compile %s --precision=bf16 --emit=llvm --triple=x86_64-linux-gnu --cpu=sapphirerapids -o %t
// RUN: FileCheck %s --check-prefix=AMX < %t/p.matmul.ll
// RUN: dlc compile %s --emit=llvm --triple=x86_64-linux-gnu --cpu=sapphirerapids -o %t
// RUN: FileCheck %s --check-prefix=NONE < %t/p.matmul.ll
// RUN: dlc compile %s --precision=bf16 --emit=llvm --triple=x86_64-linux-gnu --cpu=icelake-server -o %t
// RUN: FileCheck %s --check-prefix=NONE < %t/p.matmul.ll

// AMX: define hidden void @p.matmul(
// AMX: call void @llvm.x86.ldtilecfg(
// AMX: call void @llvm.x86.tilezero(i8 3)
// AMX: call void @llvm.x86.tileloadd64(i8 6, ptr {{.*}}, i64 128)
// AMX: call void @llvm.x86.tileloadd64(i8 7, ptr {{.*}}, i64 128)
// AMX: call void @llvm.x86.tileloadd64(i8 4, ptr {{.*}}, i64 128)
// AMX: call void @llvm.x86.tileloadd64(i8 5, ptr {{.*}}, i64 128)
// AMX: call void @llvm.x86.tdpbf16ps(i8 0, i8 4, i8 6)
// AMX: call void @llvm.x86.tdpbf16ps(i8 1, i8 4, i8 7)
// AMX: call void @llvm.x86.tdpbf16ps(i8 2, i8 5, i8 6)
// AMX: call void @llvm.x86.tdpbf16ps(i8 3, i8 5, i8 7)
// AMX: call void @llvm.x86.tilestored64(i8 0, ptr {{.*}}, i64 128)
// AMX: call void @llvm.x86.tilerelease()
// NONE-NOT: @llvm.x86.t
train.program @p {
  train.input @w : tensor<64x96xf32>
  train.input @x : tensor<96x64xf32>
  train.output prediction @y : tensor<96x96xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<96x64xf32>
    %w = train.read @w : tensor<64x96xf32>
    %y = nn.matmul %x, %w : tensor<96x64xf32>, tensor<64x96xf32>
    train.write %y, @y : tensor<96x96xf32>
  }
}
