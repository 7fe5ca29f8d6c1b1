// A query that sees no key gets zeros, and no gradient, as in PyTorch. The numbers are those of
// F.scaled_dot_product_attention in float64, with the mask [[False, False], [True, True]], of y.square().mean().
// RUN: dlc compile %s -q --loss=output --emit=backward > %t.mlir
// RUN: dlc-interpret %t.mlir --function=grad_step | FileCheck %s --check-prefix=LOSS
// RUN: dlc-interpret %t.mlir --function=grad_step --print=q.grad | FileCheck %s
// LOSS: loss : f32 = 1.04152986
// CHECK: q.grad : 2x2xf32 =
// CHECK-NEXT: {{^ *}}0 0{{$}}
// CHECK-NEXT: 0.196398947 -0.196398947
train.program @attention {
  train.state parameter @q : tensor<2x2xf32> = dense<[[0.5, -1.0], [1.5, 0.25]]>
  train.output prediction @cost : tensor<f32>
  train.function forward @forward {
    %q = train.read @q : tensor<2x2xf32>
    %k = nn.constant dense<[[1.0, 0.5], [-0.5, 2.0]]> : tensor<2x2xf32>
    %v = nn.constant dense<[[1.0, 2.0], [3.0, -1.0]]> : tensor<2x2xf32>
    %zero = nn.constant dense<0.0> : tensor<f32>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %visible = nn.constant dense<[[false, false], [true, true]]> : tensor<2x2xi1>
    %mask = nn.select %visible, %zero, %never : tensor<2x2xi1>, tensor<f32>, tensor<f32>
    %s = nn.matmul %q, %k transpose_b : tensor<2x2xf32>, tensor<2x2xf32>
    %x = nn.add %s, %mask : tensor<2x2xf32>, tensor<2x2xf32>
    %p0 = nn.softmax %x axis 1 : tensor<2x2xf32>
    %none = nn.compare ne %p0, %p0 : tensor<2x2xf32>, tensor<2x2xf32>
    %p = nn.select %none, %zero, %p0 : tensor<2x2xi1>, tensor<f32>, tensor<2x2xf32>
    %y = nn.matmul %p, %v : tensor<2x2xf32>, tensor<2x2xf32>
    %square = nn.mul %y, %y : tensor<2x2xf32>, tensor<2x2xf32>
    %cost = nn.mean %square axes [0, 1] : tensor<2x2xf32>
    train.write %cost, @cost : tensor<f32>
  }
}
