// Blocks of threads bring operands to shared memory from where they lie: nothing is copied into panels for them.
// RUN: dlc compile %s --loss=mse --target=nvptx --emit=fuse | FileCheck %s
// RUN: dlc compile %s --loss=mse --cpu=x86-64-v3 --emit=fuse | FileCheck %s --check-prefix=CPU

// CHECK-LABEL: train.function train_step
// CHECK-NOT: {{[0-9]x1024x16xf32}}
// CPU: {{[0-9]x1024x16xf32}}
train.program @p {
  train.input @x : tensor<8x128x512xf32>
  train.state parameter @w : tensor<512x2048xf32> = dense<0.1>
  train.state parameter @b : tensor<2048xf32> = dense<0.1>
  train.state parameter @v : tensor<2048x512xf32> = dense<0.1>
  train.output prediction @y : tensor<8x128x512xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x128x512xf32>
    %w = train.read @w : tensor<512x2048xf32>
    %b = train.read @b : tensor<2048xf32>
    %v = train.read @v : tensor<2048x512xf32>
    %p = nn.matmul %x, %w : tensor<8x128x512xf32>, tensor<512x2048xf32>
    %q = nn.add %p, %b : tensor<8x128x2048xf32>, tensor<2048xf32>
    %s = nn.gelu %q : tensor<8x128x2048xf32>
    %y = nn.matmul %s, %v : tensor<8x128x2048xf32>, tensor<2048x512xf32>
    train.write %y, @y : tensor<8x128x512xf32>
  }
}
