// Where all steps are one round, the first product is told to add to nothing, and no zeros come to its sums: NVIDIA's assembler
// would let the products wait for each other. Results of 16 bits are rounded two by two, for the same reason.
// RUN: dlc compile %s --target=nvptx --gpu=sm_90a --precision=bf16 --emit=ptx | FileCheck %s

// CHECK: wgmma.fence.sync.aligned
// CHECK-NOT: 0f00000000
// CHECK: setp.eq.u32 adds, 0, 1;
// CHECK: wgmma.mma_async
// CHECK: setp.eq.u32 adds, 0, 0;
// CHECK: wgmma.mma_async
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-NOT: cvt.rn.bf16x2.f32 %r{{[0-9]+}}, 0f00000000
// CHECK: cvt.rn.bf16x2.f32 %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}
train.program @p {
  train.input @x : tensor<1280x32xf32>
  train.input @w : tensor<32x1280xf32>
  train.input @v : tensor<1280x32xf32>
  train.output prediction @y : tensor<1280x32xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<1280x32xf32>
    %w = train.read @w : tensor<32x1280xf32>
    %v = train.read @v : tensor<1280x32xf32>
    %h = nn.matmul %x, %w : tensor<1280x32xf32>, tensor<32x1280xf32>
    %y = nn.matmul %h, %v : tensor<1280x1280xf32>, tensor<1280x32xf32>
    train.write %y, @y : tensor<1280x32xf32>
  }
}
