// RUN: dlc-opt %s --dlc-decompose --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s
// An element of a tensor that depends on a scalar is no scalar of the step's beginning, although it has no loops:
// in one kernel with the scalar it would need its own result.
// CHECK: train.function predict @predict {
// CHECK: %[[E:.*]] = train.launch @scalars(
// CHECK: %[[Z:.*]] = train.launch @mul_tanh({{.*}}%[[E]]
// CHECK: train.launch @gather({{.*}}%[[Z]]
train.program @p {
  train.input @x : tensor<8xf32>
  train.input @i : tensor<i64>
  train.state parameter @s : tensor<f32> = dense<0.5>
  train.output prediction @out : tensor<f32>
  train.function predict @predict {
    %x = train.read @x : tensor<8xf32>
    %i = train.read @i : tensor<i64>
    %s = train.read @s : tensor<f32>
    %e = nn.exp %s : tensor<f32>
    %y = nn.mul %x, %e : tensor<8xf32>, tensor<f32>
    %z = nn.tanh %y : tensor<8xf32>
    %g = nn.gather %z, %i axis 0 : tensor<8xf32>, tensor<i64>
    train.write %g, @out : tensor<f32>
  }
}
