// An attention on a GPU: lanes of a row exchange their largest scores and their sums, products are those of the
// precision, and threads meet twice for some keys.
// RUN: dlc compile %s --target=nvptx --gpu=sm_80 --precision=bf16 --emit=ptx | FileCheck %s --check-prefixes=CHECK,BF16
// RUN: dlc compile %s --target=nvptx --gpu=sm_80 --precision=tf32 --emit=ptx | FileCheck %s --check-prefixes=CHECK,TF32
// RUN: dlc compile %s --target=nvptx --gpu=sm_80 --emit=ptx | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: dlc compile %s --target=nvptx --gpu-code=simt --precision=bf16 --emit=llvm | FileCheck %s --check-prefix=SIMT
// No tensor of the program has 200 x 200 elements:
// RUN: dlc compile %s --target=nvptx --loss=mse --optimizer=sgd --emit=schedule | grep -A99 'train.function predict' | FileCheck %s --check-prefix=NONE

// What the backward pass wants of a row is stored beside the result, also where a row may see nothing; no kernel of
// steps has another form.
// RUN: dlc compile %s --target=nvptx --loss=mse --optimizer=sgd --emit=schedule | FileCheck %s --check-prefix=TRAIN

// TRAIN-NOT: #cuda.points{{.*}}steps = array
// TRAIN: #cuda.attention{{.*}}steps = array
// TRAIN: train.yield {{.*}} : tensor<2x3x200xf32>, tensor<2x3x200xf32>, tensor<2x3x200x16xf32>
// TRAIN-NOT: #cuda.points{{.*}}steps = array
// CHECK: .entry dlc_matmul_select_softmax{{.*}}(
// CHECK-DAG: bar.sync
// CHECK-DAG: shfl.sync.bfly.b32 {{.*}}, 1, 31, -1
// CHECK-DAG: shfl.sync.bfly.b32 {{.*}}, 2, 31, -1
// BF16-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// TF32-DAG: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// EXACT-DAG: fma.rn.ftz.f32
// EXACT-DAG: shfl.sync.idx.b32
// SIMT-NOT: llvm.nvvm
// NONE-NOT: 200x200
train.program @p {
  train.state parameter @k : tensor<2x3x200x16xf32> = dense<0.5>
  train.input @q : tensor<2x3x200x16xf32>
  train.input @v : tensor<2x3x200x16xf32>
  train.input @counts : tensor<2x1x1x200xi1>
  train.output prediction @y : tensor<2x3x200x16xf32>
  train.function forward @forward {
    %q = train.read @q : tensor<2x3x200x16xf32>
    %k = train.read @k : tensor<2x3x200x16xf32>
    %v = train.read @v : tensor<2x3x200x16xf32>
    %s = nn.matmul %q, %k transpose_b : tensor<2x3x200x16xf32>, tensor<2x3x200x16xf32>
    %counts = train.read @counts : tensor<2x1x1x200xi1>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %m = nn.select %counts, %s, %never : tensor<2x1x1x200xi1>, tensor<2x3x200x200xf32>, tensor<f32>
    %p = nn.softmax %m axis 3 {empty_to_zero} : tensor<2x3x200x200xf32>
    %y = nn.matmul %p, %v : tensor<2x3x200x200xf32>, tensor<2x3x200x16xf32>
    train.write %y, @y : tensor<2x3x200x16xf32>
  }
}
