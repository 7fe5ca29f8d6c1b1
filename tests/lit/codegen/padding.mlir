// Where only the position along the lanes' loop differs between the lanes of a vector, it reads its elements as they
// lie: the channels of an image with padding around it. Nothing is gathered.
// RUN: dlc compile %s --emit=llvm --triple=x86_64-linux-gnu --cpu=x86-64-v4 -O0 -o %t
// RUN: FileCheck %s --input-file=%t/p.pad.ll

// CHECK: define hidden void @p.pad(
// CHECK-NOT: masked.gather
// CHECK: load <16 x float>, ptr
// CHECK-NOT: masked.gather
// CHECK: ret void
train.program @p {
  train.input @x : tensor<8x6x6x32xf32>
  train.output prediction @y : tensor<8x8x8x32xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x6x6x32xf32>
    %y = nn.pad constant %x low [0, 1, 1, 0] high [0, 1, 1, 0] interior [0, 0, 0, 0] value 0.0 : tensor<8x6x6x32xf32>
    train.write %y, @y : tensor<8x8x8x32xf32>
  }
}
