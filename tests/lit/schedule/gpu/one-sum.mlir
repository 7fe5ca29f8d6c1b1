// One sum of very many terms has a block of 1,024 threads for each of 256 parts; where terms are fewer, 64 parts.
// RUN: dlc compile %s --target=nvptx --emit=plan | FileCheck %s
// CHECK-DAG: members = 1024 partials = [1024]>, threads = 1024 grid = 256>
// CHECK-DAG: tensor<256x98304xf32>
// CHECK-DAG: tensor<64x16384xf32>
train.program @p {
  train.input @x : tensor<8192x3072xf32>
  train.input @z : tensor<1024x1024xf32>
  train.output prediction @y : tensor<f32>
  train.output prediction @w : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<8192x3072xf32>
    %z = train.read @z : tensor<1024x1024xf32>
    %y = nn.mean %x axes [0, 1] : tensor<8192x3072xf32>
    %w = nn.mean %z axes [0, 1] : tensor<1024x1024xf32>
    train.write %y, @y : tensor<f32>
    train.write %w, @w : tensor<f32>
  }
}
