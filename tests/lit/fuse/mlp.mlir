// A perceptron with dropout, cross entropy and Adam: which kernels a training step becomes. Biases,
// activations and masks are in the products' kernels, whole updates in those of the gradients; the loss is
// computed with its gradient; weights are updated after their last readers; the step's scalars are one kernel.
// RUN: dlc-opt %s --dlc-recipe=set=optimizer=adam --dlc-backward --dlc-decompose --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s

// CHECK-LABEL: train.function train_step
// CHECK: %[[H1:.*]] = train.launch @matmul_add_relu_dropout(
// CHECK: %[[H2:.*]] = train.launch @matmul_add_relu_dropout_{{[0-9]+}}(%[[H1]],
// CHECK: %[[SCORES:.*]] = train.launch @matmul_add(%[[H2]],
// CHECK: %[[COUNT:.*]]:2 = train.launch @softmax_cross_entropy_div(
// CHECK: %[[ROWS:.*]]:2 = train.launch @softmax_cross_entropy_softmax{{.*}}(%[[SCORES]],
// CHECK: %[[LOSS:.*]] = train.launch @softmax_cross_entropy(%[[ROWS]]#0, %[[COUNT]]#0)
// CHECK: train.launch @scalars(
// CHECK: train.launch @sum_adam(%[[ROWS]]#1,
// CHECK: %[[D2:.*]] = train.launch @matmul_compare_select_mul(%[[ROWS]]#1, %{{.*}}, %[[H2]])
// CHECK: train.launch @matmul_adam(%[[ROWS]]#1, %[[H2]],
// CHECK: train.launch @sum_adam_[[BIAS:.*]](%[[D2]],
// CHECK: %[[D1:.*]] = train.launch @matmul_compare_select_mul_{{[0-9]+}}(%[[D2]], %{{.*}}, %[[H1]])
// CHECK: train.launch @matmul_adam_{{[0-9]+}}(%[[D2]], %[[H1]],
// CHECK: train.launch @sum_adam_[[BIAS]](%[[D1]],
// CHECK: train.launch @matmul_adam_{{[0-9]+}}(%[[D1]],
// CHECK-NOT: train.launch
// CHECK: train.write %[[LOSS]], @loss

train.program @mlp {
  train.dim @batch = 64
  train.state parameter @w1 : tensor<256x784xf32> = dense<0.01>
  train.state parameter @b1 : tensor<256xf32> = dense<0.0>
  train.state parameter @w2 : tensor<256x256xf32> = dense<0.01>
  train.state parameter @b2 : tensor<256xf32> = dense<0.0>
  train.state parameter @w3 : tensor<10x256xf32> = dense<0.01>
  train.state parameter @b3 : tensor<10xf32> = dense<0.0>
  train.state rng @rng : tensor<2xi64>
  train.input @image : tensor<?x784xf32, #nn.dims<batch, _>>
  train.output prediction @scores : tensor<?x10xf32, #nn.dims<batch, _>>
  train.output loss @loss : tensor<f32>
  train.input target @labels range [0, 10) ignore -100 : tensor<?xi64, #nn.dims<batch>>
  train.function forward @forward {
    %x = train.read @image : tensor<?x784xf32, #nn.dims<batch, _>>
    %w1 = train.read @w1 : tensor<256x784xf32>
    %b1 = train.read @b1 : tensor<256xf32>
    %w2 = train.read @w2 : tensor<256x256xf32>
    %b2 = train.read @b2 : tensor<256xf32>
    %w3 = train.read @w3 : tensor<10x256xf32>
    %b3 = train.read @b3 : tensor<10xf32>
    %rng = train.read @rng : tensor<2xi64>
    %0 = nn.matmul %x, %w1 transpose_b : tensor<?x784xf32, #nn.dims<batch, _>>, tensor<256x784xf32>
    %1 = nn.add %0, %b1 : tensor<?x256xf32, #nn.dims<batch, _>>, tensor<256xf32>
    %2 = nn.relu %1 : tensor<?x256xf32, #nn.dims<batch, _>>
    %3 = nn.dropout %2, %rng ratio 0.2 stream 0 : tensor<?x256xf32, #nn.dims<batch, _>>, tensor<2xi64>
    %4 = nn.matmul %3, %w2 transpose_b : tensor<?x256xf32, #nn.dims<batch, _>>, tensor<256x256xf32>
    %5 = nn.add %4, %b2 : tensor<?x256xf32, #nn.dims<batch, _>>, tensor<256xf32>
    %6 = nn.relu %5 : tensor<?x256xf32, #nn.dims<batch, _>>
    %7 = nn.dropout %6, %rng ratio 0.2 stream 1 : tensor<?x256xf32, #nn.dims<batch, _>>, tensor<2xi64>
    %8 = nn.matmul %7, %w3 transpose_b : tensor<?x256xf32, #nn.dims<batch, _>>, tensor<10x256xf32>
    %9 = nn.add %8, %b3 : tensor<?x10xf32, #nn.dims<batch, _>>, tensor<10xf32>
    train.write %9, @scores : tensor<?x10xf32, #nn.dims<batch, _>>
    %labels = train.read @labels : tensor<?xi64, #nn.dims<batch>>
    %loss, %weight = nn.softmax_cross_entropy mean %9, %labels ignore_index -100 : tensor<?x10xf32, #nn.dims<batch, _>>, tensor<?xi64, #nn.dims<batch>>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
  train.function evaluate @evaluate {
    %x = train.read @image : tensor<?x784xf32, #nn.dims<batch, _>>
    %w1 = train.read @w1 : tensor<256x784xf32>
    %b1 = train.read @b1 : tensor<256xf32>
    %w2 = train.read @w2 : tensor<256x256xf32>
    %b2 = train.read @b2 : tensor<256xf32>
    %w3 = train.read @w3 : tensor<10x256xf32>
    %b3 = train.read @b3 : tensor<10xf32>
    %0 = nn.matmul %x, %w1 transpose_b : tensor<?x784xf32, #nn.dims<batch, _>>, tensor<256x784xf32>
    %1 = nn.add %0, %b1 : tensor<?x256xf32, #nn.dims<batch, _>>, tensor<256xf32>
    %2 = nn.relu %1 : tensor<?x256xf32, #nn.dims<batch, _>>
    %4 = nn.matmul %2, %w2 transpose_b : tensor<?x256xf32, #nn.dims<batch, _>>, tensor<256x256xf32>
    %5 = nn.add %4, %b2 : tensor<?x256xf32, #nn.dims<batch, _>>, tensor<256xf32>
    %6 = nn.relu %5 : tensor<?x256xf32, #nn.dims<batch, _>>
    %8 = nn.matmul %6, %w3 transpose_b : tensor<?x256xf32, #nn.dims<batch, _>>, tensor<10x256xf32>
    %9 = nn.add %8, %b3 : tensor<?x10xf32, #nn.dims<batch, _>>, tensor<10xf32>
    train.write %9, @scores : tensor<?x10xf32, #nn.dims<batch, _>>
    %labels = train.read @labels : tensor<?xi64, #nn.dims<batch>>
    %loss, %weight = nn.softmax_cross_entropy mean %9, %labels ignore_index -100 : tensor<?x10xf32, #nn.dims<batch, _>>, tensor<?xi64, #nn.dims<batch>>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
