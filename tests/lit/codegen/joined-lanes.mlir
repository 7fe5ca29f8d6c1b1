// Parts of a concatenation that lie elsewhere are looked for where the whole is read. Most vectors lie in one part, and
// read neighbours there. Of six in each row, one has the border in it, and gathers from both.
// RUN: dlc compile %s --name=p --triple=x86_64-linux-gnu --cpu=x86-64-v4 --emit=llvm -o %t
// RUN: FileCheck %s --input-file=%t/p.concat_add.ll

// CHECK-LABEL: define hidden void @p.concat_add
// CHECK-COUNT-2: call <16 x float> @llvm.masked.gather
// CHECK-NOT: call <16 x float> @llvm.masked.gather
train.program @p {
  train.input @x : tensor<64x96xf32>
  train.state parameter @a : tensor<64x40xf32> = dense<0.1>
  train.state parameter @b : tensor<64x56xf32> = dense<0.1>
  train.output prediction @y : tensor<64x96xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<64x96xf32>
    %a = train.read @a : tensor<64x40xf32>
    %b = train.read @b : tensor<64x56xf32>
    %w = nn.concat %a, %b axis 1 : tensor<64x40xf32>, tensor<64x56xf32>
    %y = nn.add %x, %w : tensor<64x96xf32>, tensor<64x96xf32>
    train.write %y, @y : tensor<64x96xf32>
  }
}
